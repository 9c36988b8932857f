"""The write path: accept, reconcile, commit."""
