"""Memory that can be moved: files of a tenant or a person, copies, backups and branches."""
