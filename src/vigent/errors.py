"""Every error Vigent raises, as one tree.

::

    VigentError
    ├── CallerError                 the caller can mend it
    │   ├── InvalidInput            a field does not fit; names the field
    │   │   ├── LimitExceeded       … because it is larger than allowed
    │   │   ├── NaiveInstant        … because a time has no offset
    │   │   ├── AmbiguousInstant    … because a wall-clock time is no single instant
    │   │   ├── SchemaMismatch      … because the store's schema says otherwise
    │   │   ├── SubjectConflict     … because two names are given for the person
    │   │   └── BadExport           … because it is no whole file of moved memory
    │   ├── Unauthorized            no key, or one that opens nothing
    │   ├── NotFound                no such record in this scope
    │   ├── Forbidden               the record exists, this caller may not do that
    │   ├── ToolNotOffered          the key or its rights do not let that tool be used
    │   ├── TenantMismatch          a candidate names another tenant
    │   ├── NotSupported            the service cannot do that yet
    │   └── ErasedPerson            an episode from before the person's erasure
    ├── ConflictError               the state is not what the caller expects
    │   ├── UnexpectedMemory        another memory is in force than the one named
    │   ├── AlreadyCorrected        the memory has a successor; names it
    │   ├── UnexpectedVersion       a thread's state is at another version than the one named
    │   ├── ThreadExists            there is a thread of this id already
    │   ├── ResourceExists          there is a store, agent or the like of this name already
    │   ├── ResourceInUse           it cannot go while another names it
    │   ├── AliasConflict           the name stands for another subject, or for this one already
    │   ├── UnexpectedText          what is to be replaced stands not once in a block
    │   └── IdempotencyMismatch     the same idempotency key with another request
    ├── UnavailableError            try again later; says after how many seconds
    │   ├── RateLimited             a key asked too much of late
    │   │   └── TokensUsedUp        … the tenant's limit of tokens for the month is reached
    │   ├── Overloaded              too many calls wait already
    │   ├── StoreBusy               the write lock was not to be had in time
    │   ├── StoreReadOnly           the file or folder cannot be written
    │   ├── StoreFull               no space left
    │   ├── StoreNewer              the file was written by a newer Vigent
    │   ├── ServiceUnreachable      a service gives no answer: not reached, cut off, too slow
    │   └── ModelUnavailable        a model is not installed, not reached, or gives no answer
    │       └── ModelFailed         … a language model; says what the calls came to
    │           ├── ProviderError       its provider was not reached, refused the call, or failed
    │           ├── ModelRefusal        it would not answer
    │           ├── OutputCutOff        its answer ended at the limit of tokens
    │           └── InvalidModelOutput  its answer does not have the form that was asked for
    └── InternalError               our fault
        └── CorruptStore            the stored rows contradict each other

``code`` is stable and meant for programs; the message is meant for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

__all__ = [
    "AliasConflict", "AlreadyCorrected", "AmbiguousInstant", "BadExport", "CallerError",
    "ConflictError", "CorruptStore", "ErasedPerson", "Forbidden", "IdempotencyMismatch",
    "InternalError", "InvalidInput", "InvalidModelOutput", "LimitExceeded", "ModelFailed",
    "ModelRefusal", "ModelUnavailable", "NaiveInstant", "NotFound", "NotSupported", "OutputCutOff",
    "Overloaded", "ProviderError", "RateLimited", "ResourceExists", "ResourceInUse",
    "SchemaMismatch", "ServiceUnreachable", "StoreBusy", "StoreFull", "StoreNewer",
    "StoreReadOnly", "SubjectConflict", "TenantMismatch", "ThreadExists", "TokensUsedUp",
    "ToolNotOffered", "Unauthorized", "UnavailableError", "UnexpectedMemory", "UnexpectedText",
    "UnexpectedVersion", "VigentError",
]  # fmt: skip

Category = Literal["caller", "conflict", "unavailable", "bug"]


class VigentError(Exception):
    """Base of every error Vigent raises."""

    code: ClassVar[str] = "error"
    category: ClassVar[Category] = "bug"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field

    @classmethod
    def from_dict(
        cls, found: Mapping[str, Any], *, retry_after: float | None = None
    ) -> VigentError:
        """Give back the error that ``to_dict`` wrote.

        An unknown code, as of a newer service, gives the base of its category with that code.
        """
        kind = _by_code(VigentError).get(found["code"])
        known = _BASES[found["category"]] if kind is None else kind
        error = known.__new__(known)
        VigentError.__init__(error, found["message"], field=found["field"])
        if kind is None:
            vars(error)["code"] = found["code"]
        if isinstance(error, UnavailableError):
            error.retry_after = 1.0 if retry_after is None else retry_after
        return error

    def within(self, path: str) -> Self:
        """Say in which part of a request it is: ``field`` and message then begin with ``path``."""
        named = self.field is not None and self.message.startswith(f"{self.field}:")
        self.message = f"{path}.{self.message}" if named else f"{path}: {self.message}"
        self.field = path if self.field is None else f"{path}.{self.field}"
        self.args = (self.message,)
        return self

    def to_dict(self) -> dict[str, str | None]:
        """Give the error as JSON-ready values: code, category, field and message."""
        return {name: getattr(self, name) for name in ("code", "category", "field", "message")}


class CallerError(VigentError):
    """The request cannot be served as it is; the caller can mend it."""

    code = "bad_request"
    category = "caller"


class InvalidInput(CallerError):
    """A field does not fit; ``field`` names it."""

    code = "invalid_input"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}", field=field)


class LimitExceeded(InvalidInput):
    """A field is larger than allowed; the message names the limit."""

    code = "limit_exceeded"


class NaiveInstant(InvalidInput):
    """A time without an offset, where no time zone was given."""

    code = "naive_instant"


class AmbiguousInstant(InvalidInput):
    """A wall-clock time that happens twice or never in its zone."""

    code = "ambiguous_instant"


class SchemaMismatch(InvalidInput):
    """The store's schema does not allow this attribute, type or value."""

    code = "schema_mismatch"


class SubjectConflict(InvalidInput):
    """Two different persons are named for one request."""

    code = "subject_conflict"


class BadExport(InvalidInput):
    """A file of moved memory is cut, altered, of an unknown version, or none at all."""

    code = "bad_export"

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__("file", message if line is None else f"line {line}: {message}")


class Unauthorized(CallerError):
    """There is no key, or it opens nothing: unknown, expired, revoked, another tenant's token."""

    code = "unauthorized"


class NotFound(CallerError):
    """There is no such record in this scope."""

    code = "not_found"


class Forbidden(CallerError):
    """The record is visible, but this caller may not do that to it."""

    code = "forbidden"


class ToolNotOffered(CallerError):
    """The tool exists, but this key's settings or rights do not offer it."""

    code = "tool_not_offered"


class NotSupported(CallerError):
    """The service knows what is asked for and cannot do it yet; nothing was done."""

    code = "not_supported"


class TenantMismatch(CallerError):
    """A candidate names a tenant other than the one it was handed to."""

    code = "tenant_mismatch"


class ErasedPerson(CallerError):
    """An episode from before its person was erased cannot come back."""

    code = "erased_person"


class ConflictError(VigentError):
    """The state is not what the caller expects."""

    code = "conflict"
    category = "conflict"


class UnexpectedMemory(ConflictError):
    """Another memory is in force than the one named in ``expect``."""

    code = "unexpected_memory"


class AlreadyCorrected(ConflictError):
    """The memory was corrected before; the message names its successor."""

    code = "already_corrected"


class UnexpectedVersion(ConflictError):
    """The state of a thread is at another version than the one named in ``expect``."""

    code = "unexpected_version"


class ThreadExists(ConflictError):
    """There is a thread of this id already."""

    code = "thread_exists"


class ResourceExists(ConflictError):
    """There is a store, an agent or the like of this name already."""

    code = "resource_exists"


class ResourceInUse(ConflictError):
    """It cannot go while another resource names it; the message says which."""

    code = "resource_in_use"


class AliasConflict(ConflictError):
    """A name cannot become an alias of a subject; the message says what it is now."""

    code = "alias_conflict"


class UnexpectedText(ConflictError):
    """The text to be replaced does not stand exactly once; says how often it does."""

    code = "unexpected_text"


class IdempotencyMismatch(ConflictError):
    """The same idempotency key was used for another request."""

    code = "idempotency_mismatch"


class UnavailableError(VigentError):
    """The store or a model cannot serve this now; ``retry_after`` is in seconds."""

    code = "unavailable"
    category = "unavailable"

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateLimited(UnavailableError):
    """A key made more requests than it may; ``retry_after`` says when it may go on."""

    code = "rate_limited"


class TokensUsedUp(RateLimited):
    """The tenant's limit of model tokens does not allow it before the next month begins in UTC."""

    code = "tokens_used_up"


class Overloaded(UnavailableError):
    """More calls wait for their turn than are let wait; nothing was done."""

    code = "overloaded"


class StoreBusy(UnavailableError):
    """The write lock was not to be had within the bounded wait; nothing was written."""

    code = "store_busy"


class StoreReadOnly(UnavailableError):
    """The file or its folder cannot be written; nothing was written."""

    code = "store_read_only"


class StoreFull(UnavailableError):
    """There is no space left; nothing was written."""

    code = "store_full"


class StoreNewer(UnavailableError):
    """The store was written by a newer version of Vigent and is left alone."""

    code = "store_newer"


class ServiceUnreachable(UnavailableError):
    """A service gave no answer; whether it did what was asked is not known. Names no key."""

    code = "service_unreachable"


class ModelUnavailable(UnavailableError):
    """A model is not installed, was not reached, or gave no answer of use. Names no key."""

    code = "model_unavailable"


class ModelFailed(ModelUnavailable):
    """A language model gave no answer that can be used; the fields say what asking it came to."""

    code = "model_failed"
    calls = failed = input_tokens = output_tokens = 0

    def spent(self, calls: int, failed: int, input_tokens: int, output_tokens: int) -> Self:
        """Say what it came to, beside what was said before."""
        self.calls += calls
        self.failed += failed
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
        return self


class ProviderError(ModelFailed):
    """The provider was not reached, refused the call, or failed; if ``final``, it will again."""

    code = "provider_error"
    status: int | None = None
    final: bool = False


class ModelRefusal(ModelFailed):
    """A language model, or a filter of its provider, would not answer this."""

    code = "model_refusal"


class OutputCutOff(ModelFailed):
    """The answer of a language model ended at the limit of tokens; ``output`` is what came."""

    code = "output_cut_off"
    output: str = ""


class InvalidModelOutput(ModelFailed):
    """The answer does not have the form that was asked for; ``output`` is the JSON that came."""

    code = "invalid_model_output"
    output: Any = None


class InternalError(VigentError):
    """A fault of Vigent itself."""

    code = "internal"
    category = "bug"


class CorruptStore(InternalError):
    """Stored rows contradict each other."""

    code = "corrupt_store"


_BASES: dict[str, type[VigentError]] = {k.category: k for k in VigentError.__subclasses__()}


def _by_code(kind: type[VigentError]) -> dict[str, type[VigentError]]:
    found = {kind.code: kind}
    for below in (k for k in kind.__subclasses__() if "code" in vars(k)):  # not those of others
        found.update(_by_code(below))
    return found
