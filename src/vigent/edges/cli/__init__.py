"""The command line: ``vigent``."""
