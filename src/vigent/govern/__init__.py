"""Who may do what and what is kept: tenants, stores, keys; audit, erasure, checking, upkeep."""
