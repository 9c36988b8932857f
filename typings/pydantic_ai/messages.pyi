from collections.abc import Sequence
from typing import Any, TypeAlias

from pydantic_ai.usage import RequestUsage

class SystemPromptPart:
    def __init__(self, content: str) -> None: ...

class UserPromptPart:
    def __init__(self, content: str) -> None: ...

class TextPart:
    content: str
    def __init__(self, content: str) -> None: ...

class ToolCallPart:
    tool_name: str
    args: str | dict[str, Any] | None
    tool_call_id: str
    def __init__(
        self, tool_name: str, args: str | dict[str, Any] | None = ..., *, tool_call_id: str = ...
    ) -> None: ...

class ToolReturnPart:
    def __init__(self, tool_name: str, content: Any, *, tool_call_id: str = ...) -> None: ...

class ModelRequest:
    def __init__(
        self, parts: Sequence[SystemPromptPart | UserPromptPart | ToolReturnPart]
    ) -> None: ...

class ModelResponse:
    parts: Sequence[TextPart | ToolCallPart]
    usage: RequestUsage
    model_name: str | None
    finish_reason: str | None
    def __init__(self, parts: Sequence[TextPart | ToolCallPart]) -> None: ...

ModelMessage: TypeAlias = ModelRequest | ModelResponse
