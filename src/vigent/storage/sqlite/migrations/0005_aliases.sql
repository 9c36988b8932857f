-- Aliases: other names of subjects. Names and subjects are canonical; written is as it came.

CREATE TABLE alias (
    tenant  TEXT NOT NULL,
    store   TEXT NOT NULL,
    person  TEXT NOT NULL,
    name    TEXT NOT NULL,
    written TEXT NOT NULL,
    subject TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (tenant, name, store, person),
    CHECK (name <> subject)
);
CREATE INDEX alias_subject ON alias (tenant, subject, store, person);
CREATE INDEX alias_person ON alias (tenant, person, store, name);

PRAGMA user_version = 5;
