"""What the routes answer, as OpenAPI tells it; the answers themselves are plain JSON."""
