"""Memory without files: the oracle, for tests and demos."""
