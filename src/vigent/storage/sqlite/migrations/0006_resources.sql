-- What governs memory: tenants, stores, keys, agents and the settings of persons, each a small
-- document under an id, some with a name. An empty person means that it is nobody's.

CREATE TABLE resource (
    tenant     TEXT NOT NULL,
    kind       TEXT NOT NULL,
    id         TEXT NOT NULL,
    name       TEXT,
    person     TEXT NOT NULL,
    version    INTEGER NOT NULL,
    document   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX resource_name ON resource (tenant, kind, name) WHERE name IS NOT NULL;
CREATE INDEX resource_person ON resource (tenant, person) WHERE person <> '';

-- A service names a thread by its id alone, whosesoever and in whichever store it is.
CREATE INDEX thread_id ON thread (tenant, id);

PRAGMA user_version = 6;
