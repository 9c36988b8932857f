-- The search index: passages of memories and episodes with their terms, and vectors of passages.
-- Terms are kept a passage at a time, as hashes: word statistics are those of one scope, and
-- removing a passage removes its words.

DROP TABLE words;

-- A number is never given twice: models note up to which passage they have come.
CREATE TABLE passage (
    no     INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    scope  TEXT NOT NULL,
    kind   INTEGER NOT NULL,
    type   TEXT NOT NULL,
    source INTEGER NOT NULL,
    home   INTEGER NOT NULL,
    start  INTEGER NOT NULL,
    stop   INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    about  BLOB NOT NULL,
    words  BLOB NOT NULL
);
CREATE INDEX passage_scope ON passage (tenant, scope, no);
CREATE INDEX passage_source ON passage (tenant, source, kind);

-- Readers keep the passages of a scope in memory and fetch what is new; where something was
-- removed the number here is another, and they begin again.
CREATE TABLE index_change (
    tenant     TEXT NOT NULL,
    scope      TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (tenant, scope)
) WITHOUT ROWID;

-- Vectors of two models are never compared: each belongs to one. It has seen every passage up to
-- "done"; whoever makes its vectors has the lease, and "problem" says why none are made.
CREATE TABLE embedder (
    no          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    revision    TEXT NOT NULL,
    dimension   INTEGER NOT NULL,
    done        INTEGER NOT NULL,
    lease_until INTEGER NOT NULL,
    problem     TEXT
);
CREATE UNIQUE INDEX embedder_identity ON embedder (name, revision, dimension);

CREATE TABLE vector (
    no      INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL,
    scope   TEXT NOT NULL,
    model   INTEGER NOT NULL,
    passage INTEGER NOT NULL,
    data    BLOB NOT NULL
);
CREATE UNIQUE INDEX vector_passage ON vector (tenant, passage, model);
CREATE INDEX vector_scope ON vector (tenant, scope, model, no);

-- What was stored before there were passages is indexed when the store is opened next.
DELETE FROM job WHERE kind = 'embed';
INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, lease_until, reason, person)
SELECT tenant, 'reindex', store, '{}', 'ready', 0, 0, NULL, NULL, ''
FROM (SELECT tenant, store FROM key UNION SELECT tenant, store FROM episode);

PRAGMA user_version = 3;
