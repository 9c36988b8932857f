"""Retention, erasure and the audit trail."""
