# What we use of pydantic-ai-slim 2.68, so that types are checked without the extra.
