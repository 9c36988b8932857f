"""The gate: small pure rules that decide what of a model's proposals becomes memory."""
