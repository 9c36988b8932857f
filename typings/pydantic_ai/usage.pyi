class RequestUsage:
    input_tokens: int
    output_tokens: int
