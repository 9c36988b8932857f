"""Memory that can be moved: files of a tenant or a person, copies, backups and branches."""

from __future__ import annotations

from vigent.moving.unfolding import is_export
from vigent.moving.verbs import (
    backup_store,
    branch_differences,
    copy_store,
    drop_branch,
    export_file,
    export_to,
    import_file,
    import_from,
    list_branches,
    make_branch,
    restore_store,
)

__all__ = [
    "backup_store",
    "branch_differences",
    "copy_store",
    "drop_branch",
    "export_file",
    "export_to",
    "import_file",
    "import_from",
    "is_export",
    "list_branches",
    "make_branch",
    "restore_store",
]
