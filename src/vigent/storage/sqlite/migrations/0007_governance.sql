-- The digest of an entry's content stands beside the entry, so that the entry can be verified after
-- its content was emptied. Entries from before have none. And what model calls come to.

ALTER TABLE audit ADD COLUMN said BLOB;

CREATE TABLE usage (
    tenant        TEXT NOT NULL,
    day           INTEGER NOT NULL,
    store         TEXT NOT NULL,
    model         TEXT NOT NULL,
    kind          TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    failed        INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, store, model, kind)
) WITHOUT ROWID;

PRAGMA user_version = 7;
