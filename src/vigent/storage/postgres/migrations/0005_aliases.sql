-- Aliases: other names of subjects. Names and subjects are canonical; written is as it came.

CREATE TABLE alias (
    tenant  text COLLATE "C" NOT NULL,
    store   text COLLATE "C" NOT NULL,
    person  text COLLATE "C" NOT NULL,
    name    text COLLATE "C" NOT NULL,
    written text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    at      bigint NOT NULL,
    PRIMARY KEY (tenant, name, store, person),
    CHECK (name <> subject)
);
CREATE INDEX alias_subject ON alias (tenant, subject, store, person);
CREATE INDEX alias_person ON alias (tenant, person, store, name);

ALTER TABLE alias ENABLE ROW LEVEL SECURITY;
ALTER TABLE alias FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_rows ON alias
    USING (tenant = current_setting('app.tenant', true));
