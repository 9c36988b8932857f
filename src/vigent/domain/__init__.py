"""The rules of memory: pure, without clock, files or chance."""
