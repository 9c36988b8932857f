"""The service over HTTP: a router for each resource, handlers of a few lines."""
