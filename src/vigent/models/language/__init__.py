"""Language models: behind OpenAI-compatible servers, and of two providers by their own ways."""
