import httpx2

class AnthropicProvider:
    def __init__(
        self, *, api_key: str, base_url: str | None = ..., http_client: httpx2.AsyncClient
    ) -> None: ...
