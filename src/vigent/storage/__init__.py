"""Adapters behind the storage port, and what they share."""
