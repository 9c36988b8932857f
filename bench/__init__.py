"""Measurements of Vigent against the same work done by hand: ``python -m bench engine``."""
