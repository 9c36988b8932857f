"""Personal data that has a form: secrets, accounts, numbers of identity, ways to reach somebody.

Numbers with a checksum count only where it is right. Names and addresses of houses have no form,
and are not found here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Literal

import phonenumbers
from stdnum import iban, luhn
from stdnum.br import cpf
from stdnum.cn import ric
from stdnum.de import idnr
from stdnum.es import nie, nif
from stdnum.fr import nir
from stdnum.us import ssn

__all__ = ["Kind", "masked", "personal_kinds"]

Kind = Literal["secret", "account_number", "identity_number", "contact_data"]

# A secret by what it is called: the name, a verb or a colon, and something that can be one.
_NAMES: Final = (
    r"(?:pass ?words?|passwd|pwd|pass ?phrase|passcode|pass ?key|secret(?: key)?|api[ _-]?keys?"
    r"|access[ _-]?(?:key|token)|auth[ _-]?token"
    r"|private key|seed phrase|recovery (?:code|phrase)|pin(?: code| number)?|cvv|cvc|otp"
    r"|2fa code|security code"
    r"|passwort|kennwort|geheimzahl|zugangscode|mot de passe|code secret|code pin|contraseña"
    r"|clave(?: secreta| de acceso)?|senha|palavra-passe|código pin)"
)
_NAMED: Final = re.compile(
    rf"\b{_NAMES}\b(?:\s+(?:for|to|of|on|für|zu|de|del|du|da|do|para"
    rf"|pour)\s+(?:[\w'-]+\s+){{0,3}}?[\w'-]+)?\s*"
    r"(?:is|are|was|=|:|lautet|ist|heißt|es|est|é|eh)\s*[:=]?\s*[\"'“„«]?(?P<it>[^\s\"'”»,]{3,})"
    r"|(?:密码|口令|密钥|验证码)\s*(?:是|为|：|:|=)\s*(?P<zh>[^\s，。]{3,})"
    r"|暗証番号は(?P<ja>\S{3,})",
    re.IGNORECASE,
)
_WORDY: Final = re.compile(
    r"(?:stored|saved|kept|managed|long|short|weak|strong|old|new|not|too|in|on|my|the|a|an|that"
    r"|what|always|never|bitwarden|gut|sicher|immer|nicht|toujours|trop|muy|siempre|muito"
    r"|sempre)\b",
    re.IGNORECASE,
)
_SHAPES: Final = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|pplx|mem|vig)[-_](?=[\w-]*\d)[\w-]{8,}|\bgh[pousr]_\w{16,}"
    r"|\bxox[abprs]-[\w-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{20,}|\beyJ[\w-]{8,}\.[\w-]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\bBearer\s+[\w.~+/=-]{16,}|(?<=://)[^\s/?#@:]+:[^\s/?#@]+@"
)
_MIXED: Final = re.compile(
    r"(?<![\w/.-])(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])(?=[\w+/=-]*\d)[\w+/=-]{24,}(?![\w.])"
)
_LONG_DIGITS: Final = re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d])")
_DOTTED: Final = re.compile(r"(?<!\d)\d{4}([./_·–])\d{4}\1\d{4}\1\d{1,7}(?!\d)")
_IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b", re.IGNORECASE)
_CARD: Final = re.compile(r"3[47]|4|5[1-5]|2[2-7]|6(?:011|5|4[4-9])|62|35")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")

_Check = Callable[[str], bool]


def _is_cpf(text: str) -> bool:
    return cpf.is_valid(re.sub(r"\D", "", text))


_IDENTITIES: Final[tuple[tuple[re.Pattern[str], _Check], ...]] = (
    (re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"), ssn.is_valid),
    (re.compile(r"(?<!\d)\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)"), cpf.is_valid),
    (re.compile(r"(?<=cpf\D)\D{0,12}\d{11}(?!\d)", re.IGNORECASE), _is_cpf),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?![\dA-Za-z])"), ric.is_valid),
    (re.compile(r"(?<!\w)\d{8}-?[A-Za-z](?!\w)"), nif.is_valid),
    (re.compile(r"(?<!\w)[XYZxyz]-?\d{7}-?[A-Za-z](?!\w)"), nie.is_valid),
    (re.compile(r"(?<!\d)[12](?: ?\d\d){2} ?\d[\dAB](?: ?\d{3}){2} ?\d\d(?!\d)"), nir.is_valid),
    (re.compile(r"(?<!\d)\d{2} \d{3} \d{3} \d{3}(?!\d)"), idnr.is_valid),
)  # fmt: skip
_IDENTITY_NAMED: Final = re.compile(
    r"\b(?:passport|driver'?s? licen[cs]e|social security|ssn|national id|tax id|reisepass"
    r"|personalausweis|steuer-?id(?:entifikationsnummer)?|pasaporte|dni|nie|passeport"
    r"|numéro de sécurité sociale|cpf|rg|passaporte|身份证|护照)"
    r"\s*(?:no\.?|number|nummer|numéro|número|号码?|code)?\s*(?:is|=|:|ist|lautet|es|est|é|是|为"
    r"|：)\s*(?P<it>(?=[\w.-]*\d)[\w.-]{6,})",
    re.IGNORECASE,
)
_HIDDEN_NAMES: Final = (
    r"password|passwd|pwd|passphrase|passcode|api_?key|secret(?:_key)?|access_?token|auth_?token"
    r"|private_?key|seed_?phrase|pin|pin_?code|cvv|cvc|otp|passwort|kennwort|contraseña|senha"
    r"|mot_de_passe"
)
_ACCOUNT_NAMES: Final = (
    r"iban|card_?number|credit_?card(?:_number)?|account_?number|bank_?account(?:_number)?"
)
_IDENTITY_NAMES: Final = (
    r"ssn|passport_?(?:number|no)|national_id|tax_?id|steuer_?id|dni|cpf|id_?number"
    r"|social_security(?:_number)?"
)
_ATTRIBUTES: Final[dict[Kind, re.Pattern[str]]] = {
    "secret": re.compile(
        rf"(?:^|[_\W])(?:{_HIDDEN_NAMES})(?:$|[_\W])(?!(?:manager|tool|app|policy|vault|generator"
        r"|length|habit|rule)s?\b)|密码",
        re.IGNORECASE,
    ),
    "account_number": re.compile(rf"(?:^|_)(?:{_ACCOUNT_NAMES})$", re.IGNORECASE),
    "identity_number": re.compile(rf"(?:^|_)(?:{_IDENTITY_NAMES})$", re.IGNORECASE),
}


def personal_kinds(
    text: str, attribute: str = "", *, contacts: bool = True
) -> dict[Kind, list[tuple[int, int]]]:
    """Give the kinds of personal data in a text, gravest first, and where each stands.

    An attribute that is called after one makes the whole text that.
    """
    found: dict[Kind, list[tuple[int, int]]] = {}
    for kind, finder in _FINDERS.items():
        if kind == "contact_data" and not contacts:
            continue
        named = _ATTRIBUTES.get(kind)
        if (
            attribute
            and named is not None
            and named.search(attribute)
            and any(map(str.isalnum, text))
        ):
            found[kind] = [(0, len(text))]
        elif spans := finder(text):
            found[kind] = spans
    if "identity_number" in found or "account_number" in found:
        found.pop("contact_data", None)
    return found


def masked(text: str, attribute: str = "") -> str:
    """Give a text in which secrets and numbers of accounts and identities are named, not shown."""
    spans = [
        (span, kind)
        for kind, where in personal_kinds(text, attribute, contacts=False).items()
        for span in where
    ]
    for (start, stop), kind in sorted(spans, reverse=True):
        text = f"{text[:start]}[{kind}]{text[stop:]}"
    return text


def _secrets(text: str) -> list[tuple[int, int]]:
    spans = [m.span() for pattern in (_SHAPES, _MIXED) for m in pattern.finditer(text)]
    for match in _NAMED.finditer(text):
        group = match.lastgroup or "it"
        it = match[group]
        if group != "it" or not _WORDY.match(it):
            spans.append(match.span(group))
    return _merged(spans)


def _accounts(text: str) -> list[tuple[int, int]]:
    spans = [m.span() for m in _LONG_DIGITS.finditer(text) if _is_card(m.group())]
    spans += [m.span() for m in _DOTTED.finditer(text) if _is_card(m.group())]
    spans += [span for m in _IBAN.finditer(text) for span in _iban_in(m)]
    return _merged(spans)


def _iban_in(match: re.Match[str]) -> list[tuple[int, int]]:
    """Give where an account number stands: what follows it may look as if it were of it."""
    written = match.group()
    for stop in range(len(written), 14, -1):
        if iban.is_valid(written[:stop]):
            return [(match.start(), match.start() + stop)]
    return []


def _is_card(written: str) -> bool:
    digits = re.sub(r"\D", "", written)
    return len(set(digits)) > 1 and _CARD.match(digits) is not None and luhn.is_valid(digits)


def _identities(text: str) -> list[tuple[int, int]]:
    spans = [
        m.span()
        for pattern, valid in _IDENTITIES
        for m in pattern.finditer(text)
        if valid(m.group())
    ]
    return _merged([*spans, *(m.span("it") for m in _IDENTITY_NAMED.finditer(text))])


def _contacts(text: str) -> list[tuple[int, int]]:
    return _merged([*(m.span() for m in _MAIL.finditer(text)), *_phones(text)])


@lru_cache(maxsize=1024)
def _phones(text: str) -> tuple[tuple[int, int], ...]:
    matcher: Any = phonenumbers.PhoneNumberMatcher(
        text, "US", leniency=phonenumbers.Leniency.POSSIBLE
    )
    return tuple((m.start, m.end) for m in matcher if sum(map(str.isdigit, m.raw_string)) > 6)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for start, stop in sorted(set(spans)):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(stop, kept[-1][1]))
        else:
            kept.append((start, stop))
    return kept


_FINDERS: Final[dict[Kind, Callable[[str], list[tuple[int, int]]]]] = {
    "secret": _secrets,
    "account_number": _accounts,
    "identity_number": _identities,
    "contact_data": _contacts,
}
