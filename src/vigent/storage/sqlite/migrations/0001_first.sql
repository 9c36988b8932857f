-- The first schema. Instants are microseconds since 1970 in UTC; 9223372036854775807 is "open".
-- An empty person is what a tenant shares; tenant comes first in every key.

CREATE TABLE tenant (
    tenant     TEXT PRIMARY KEY,
    salt       BLOB NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Everything that shares one recorded clock and one lock: an attribute of a subject, or the free
-- texts of one type. The head columns are derived: what is in force between head_from and
-- head_to, packed, so that "what is true now" is one read. `vigent check` compares them.
CREATE TABLE key (
    no            INTEGER PRIMARY KEY,
    tenant        TEXT NOT NULL,
    store         TEXT NOT NULL,
    person        TEXT NOT NULL,
    subject       TEXT NOT NULL,
    attribute     TEXT NOT NULL,
    type          TEXT NOT NULL,
    name          TEXT NOT NULL,
    last_recorded INTEGER NOT NULL,
    head_from     INTEGER NOT NULL,
    head_to       INTEGER NOT NULL,
    head_recorded INTEGER NOT NULL,
    head_expires  INTEGER NOT NULL,
    head_replaced TEXT,
    head_replacer TEXT,
    head          TEXT
);
CREATE UNIQUE INDEX key_identity ON key (tenant, store, person, subject, attribute, type);
CREATE INDEX key_person ON key (tenant, person);
CREATE INDEX key_about ON key (tenant, subject, person, store, attribute, type);

CREATE TABLE statement (
    no              INTEGER PRIMARY KEY,
    tenant          TEXT NOT NULL,
    id              TEXT NOT NULL,
    key             INTEGER NOT NULL,
    member          BLOB NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('asserted', 'evidence', 'held', 'note')),
    kind            TEXT NOT NULL CHECK (kind IN ('value', 'none', 'end', 'others')),
    token           BLOB NOT NULL,
    valid_from      INTEGER NOT NULL,
    valid_to        INTEGER NOT NULL,
    stated_end      INTEGER NOT NULL,
    basis           TEXT NOT NULL,
    recorded_from   INTEGER NOT NULL,
    withdrawn_at    INTEGER NOT NULL,
    forgotten_at    INTEGER NOT NULL,
    gap             INTEGER NOT NULL,
    place           INTEGER NOT NULL,
    turn            INTEGER NOT NULL,
    bears           INTEGER NOT NULL,
    bears_from      INTEGER NOT NULL,
    clean           INTEGER NOT NULL,
    indexed         INTEGER NOT NULL,
    keep            TEXT NOT NULL,
    type            TEXT NOT NULL,
    value_kind      TEXT,
    value           TEXT,
    text            TEXT,
    replaces        TEXT,
    status          TEXT NOT NULL,
    contested       INTEGER NOT NULL,
    source_episode  TEXT,
    source          TEXT,
    quote           TEXT,
    speaker         TEXT,
    trust           TEXT NOT NULL,
    writer          TEXT,
    confidence      REAL,
    importance      INTEGER NOT NULL,
    metadata        TEXT NOT NULL,
    retention       TEXT,
    expires_at      INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    last_changed_at INTEGER NOT NULL,
    confirmed_at    INTEGER,
    evidence_count  INTEGER NOT NULL,
    retrieved_count INTEGER NOT NULL,
    schema_version  INTEGER NOT NULL,
    fields          TEXT NOT NULL,
    flagged         INTEGER NOT NULL,
    fingerprint     BLOB,
    outcome         TEXT NOT NULL,
    ended           TEXT NOT NULL,
    reason          TEXT,
    CHECK (valid_from < valid_to)
);
CREATE UNIQUE INDEX statement_id ON statement (tenant, id);
-- Not partial: checks and erasures find all statements of a key by it.
CREATE INDEX statement_order
    ON statement (tenant, key, member, role, withdrawn_at, valid_from, place, turn, no);
CREATE INDEX statement_clean ON statement (tenant, key, member, valid_from, place, turn, no)
    WHERE clean = 1;
CREATE INDEX statement_fingerprint ON statement (tenant, fingerprint)
    WHERE fingerprint IS NOT NULL;
CREATE INDEX statement_replaces ON statement (tenant, replaces) WHERE replaces IS NOT NULL;
CREATE INDEX statement_held ON statement (tenant, key) WHERE role = 'held';
CREATE INDEX statement_evidence ON statement (tenant, bears) WHERE role = 'evidence';
CREATE INDEX statement_others ON statement (tenant, key) WHERE kind = 'others';
CREATE INDEX statement_episode ON statement (tenant, source_episode)
    WHERE source_episode IS NOT NULL;
CREATE INDEX statement_expiry ON statement (tenant, expires_at)
    WHERE expires_at < 9223372036854775807 AND forgotten_at = 9223372036854775807;

CREATE TABLE belief (
    no            INTEGER PRIMARY KEY,
    tenant        TEXT NOT NULL,
    key           INTEGER NOT NULL,
    member        BLOB NOT NULL,
    memory        INTEGER NOT NULL,
    valid_from    INTEGER NOT NULL,
    valid_to      INTEGER NOT NULL,
    recorded_from INTEGER NOT NULL,
    recorded_to   INTEGER,
    CHECK (valid_from < valid_to),
    CHECK (recorded_to IS NULL OR recorded_from < recorded_to)
);
CREATE UNIQUE INDEX belief_in_force ON belief (tenant, key, member, valid_from)
    WHERE recorded_to IS NULL;
CREATE INDEX belief_valid ON belief (tenant, key, member, valid_from, recorded_from);
CREATE INDEX belief_recorded ON belief (tenant, key, member, recorded_from);
CREATE INDEX belief_memory ON belief (tenant, memory, valid_from, recorded_from);

-- Open stretches of one timeline never overlap; the nearest one that begins before the new one
-- ends is the only one that could.
CREATE TRIGGER belief_no_overlap BEFORE INSERT ON belief WHEN NEW.recorded_to IS NULL
BEGIN
    SELECT RAISE(ABORT, 'overlapping beliefs') WHERE (
        SELECT valid_to FROM belief
        WHERE tenant = NEW.tenant AND key = NEW.key AND member = NEW.member
          AND recorded_to IS NULL AND valid_from < NEW.valid_to
        ORDER BY valid_from DESC LIMIT 1
    ) > NEW.valid_from;
END;

CREATE TABLE episode (
    no          INTEGER PRIMARY KEY,
    tenant      TEXT NOT NULL,
    id          TEXT NOT NULL,
    store       TEXT NOT NULL,
    person      TEXT NOT NULL,
    role        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    content     TEXT,
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    speaker     TEXT,
    thread      TEXT,
    external_id TEXT,
    metadata    TEXT NOT NULL,
    expires_at  INTEGER NOT NULL,
    flagged     INTEGER NOT NULL,
    stub        INTEGER NOT NULL
);
CREATE UNIQUE INDEX episode_id ON episode (tenant, id);
CREATE UNIQUE INDEX episode_external ON episode (tenant, store, person, external_id)
    WHERE external_id IS NOT NULL;
CREATE INDEX episode_person ON episode (tenant, person, occurred_at);
CREATE INDEX episode_expiry ON episode (tenant, expires_at) WHERE stub = 0;

-- Each entry has a digest of its own, over the salted content that stands in audit_content and
-- can be emptied; a seal chains the digests of many entries.
CREATE TABLE audit (
    no      INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL,
    id      TEXT NOT NULL,
    at      INTEGER NOT NULL,
    action  TEXT NOT NULL,
    outcome TEXT NOT NULL,
    target  TEXT,
    digest  BLOB NOT NULL,
    seal    INTEGER
);
CREATE UNIQUE INDEX audit_id ON audit (tenant, id);
CREATE INDEX audit_target ON audit (tenant, target) WHERE target IS NOT NULL;
CREATE INDEX audit_unsealed ON audit (tenant, no) WHERE seal IS NULL;
CREATE INDEX audit_seal ON audit (tenant, seal, id) WHERE seal IS NOT NULL;

CREATE TABLE audit_content (
    audit   INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL,
    store   TEXT NOT NULL,
    person  TEXT NOT NULL,
    key     INTEGER,
    salt    BLOB NOT NULL,
    content TEXT NOT NULL
);
CREATE INDEX audit_content_person ON audit_content (tenant, person, audit);
CREATE INDEX audit_content_key ON audit_content (tenant, key) WHERE key IS NOT NULL;

CREATE TABLE seal (
    tenant  TEXT NOT NULL,
    n       INTEGER NOT NULL,
    entries INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    hash    BLOB NOT NULL,
    PRIMARY KEY (tenant, n)
) WITHOUT ROWID;

CREATE TABLE idempotency (
    tenant   TEXT NOT NULL,
    caller   TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    name     TEXT NOT NULL,
    person   TEXT NOT NULL,
    request  BLOB NOT NULL,
    answer   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (tenant, caller, endpoint, name)
) WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (tenant, at);
CREATE INDEX idempotency_person ON idempotency (tenant, person);

CREATE TABLE job (
    no          INTEGER PRIMARY KEY,
    tenant      TEXT NOT NULL,
    kind        TEXT NOT NULL,
    lane        TEXT NOT NULL,
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL,
    run_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    lease_until INTEGER,
    reason      TEXT,
    person      TEXT NOT NULL
);
CREATE INDEX job_ready ON job (state, run_at, no);
CREATE INDEX job_kind ON job (kind);
CREATE INDEX job_person ON job (tenant, person);

-- Who was erased, by keyed digests only, so that nothing from before brings them back.
CREATE TABLE erased (
    tenant TEXT NOT NULL,
    person BLOB NOT NULL,
    at     INTEGER NOT NULL,
    counts TEXT NOT NULL,
    state  TEXT NOT NULL,
    PRIMARY KEY (tenant, person)
) WITHOUT ROWID;

CREATE TABLE person (
    tenant  TEXT NOT NULL,
    person  TEXT NOT NULL,
    subject TEXT NOT NULL,
    PRIMARY KEY (tenant, person)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
    scope, body, tokenize = 'porter unicode61 remove_diacritics 2', detail = 'full'
);
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);

-- The schema's version, so that an older Vigent leaves a newer store alone.
PRAGMA user_version = 1;
