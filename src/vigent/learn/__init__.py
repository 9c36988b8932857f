"""Work in the background: what is derived from what was stored, at its own pace."""
