from pydantic_ai.tools import ToolDefinition

class Model: ...

class ModelRequestParameters:
    def __init__(
        self,
        *,
        function_tools: list[ToolDefinition] = ...,
        output_mode: str = ...,
        output_tools: list[ToolDefinition] = ...,
        allow_text_output: bool = ...,
    ) -> None: ...
