"""Adapters behind the ports of models: embedders in this process and over HTTP."""
