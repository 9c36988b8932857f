from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters

async def model_request(
    model: Model,
    messages: Sequence[ModelMessage],
    *,
    model_settings: Mapping[str, Any] | None = ...,
    model_request_parameters: ModelRequestParameters | None = ...,
) -> ModelResponse: ...
