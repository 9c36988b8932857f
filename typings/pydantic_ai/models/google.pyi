from pydantic_ai.models import Model
from pydantic_ai.providers.google import GoogleProvider

class GoogleModel(Model):
    def __init__(self, model_name: str, *, provider: GoogleProvider) -> None: ...
