"""Readers that take operations and expected answers from a public data set's file alone.

Nothing here imports the engine: an answer is expected because the file says so.
"""
