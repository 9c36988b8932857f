"""The service: one store for many tenants, keys and persons, and what each of them may reach."""

from __future__ import annotations

from vigent.service.service import FirstStart, Presented, Service

__all__ = ["FirstStart", "Presented", "Service"]
