from pydantic_ai.models import Model
from pydantic_ai.providers.anthropic import AnthropicProvider

class AnthropicModel(Model):
    def __init__(self, model_name: str, *, provider: AnthropicProvider) -> None: ...
