-- What governs memory: tenants, stores, keys, agents and the settings of persons, each a small
-- document under an id, some with a name. An empty person means that it is nobody's.

CREATE TABLE resource (
    tenant     text COLLATE "C" NOT NULL,
    kind       text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    name       text COLLATE "C",
    person     text COLLATE "C" NOT NULL,
    version    bigint NOT NULL,
    document   text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    PRIMARY KEY (tenant, kind, id)
);
CREATE UNIQUE INDEX resource_name ON resource (tenant, kind, name) WHERE name IS NOT NULL;
CREATE INDEX resource_person ON resource (tenant, person) WHERE person <> '';

-- A service names a thread by its id alone, whosesoever and in whichever store it is.
CREATE INDEX thread_id ON thread (tenant, id);

ALTER TABLE resource ENABLE ROW LEVEL SECURITY;
ALTER TABLE resource FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON resource
    USING (tenant = current_setting('app.tenant', true));
