-- Threads: episodes in order, and a small state beside them.

CREATE TABLE thread (
    no            INTEGER PRIMARY KEY,
    tenant        TEXT NOT NULL,
    store         TEXT NOT NULL,
    person        TEXT NOT NULL,
    id            TEXT NOT NULL,
    agent         TEXT,
    metadata      TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    ttl_days      INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
);
CREATE UNIQUE INDEX thread_identity ON thread (tenant, store, person, id);
CREATE INDEX thread_person ON thread (tenant, person);
CREATE INDEX thread_expiry ON thread (tenant, expires_at);

-- Where an episode stands. Positions of a thread only rise; erasing leaves gaps in them.
CREATE TABLE thread_item (
    tenant   TEXT NOT NULL,
    thread   INTEGER NOT NULL,
    position INTEGER NOT NULL,
    episode  INTEGER NOT NULL,
    agent    TEXT,
    sealed   INTEGER NOT NULL,
    PRIMARY KEY (tenant, thread, position)
) WITHOUT ROWID;
CREATE UNIQUE INDEX thread_item_episode ON thread_item (tenant, episode);

CREATE TABLE thread_state (
    thread   INTEGER PRIMARY KEY,
    tenant   TEXT NOT NULL,
    version  INTEGER NOT NULL,
    document TEXT NOT NULL,
    at       INTEGER NOT NULL
);

-- Episodes that named a thread before threads had rows of their own: one for each name and
-- person, its items in the order of capture, kept for 90 days after the last of them.
INSERT INTO thread (tenant, store, person, id, agent, metadata, created_at, ttl_days,
                    last_position, expires_at)
SELECT tenant, store, person, thread, NULL, '{}', min(recorded_at), 90, count(*),
       max(recorded_at) + 7776000000000
FROM episode
WHERE thread IS NOT NULL
GROUP BY tenant, store, person, thread
ORDER BY min(no);

INSERT INTO thread_item (tenant, thread, position, episode, agent, sealed)
SELECT episode.tenant, thread.no,
       row_number() OVER (PARTITION BY thread.no ORDER BY episode.no), episode.no, NULL, 0
FROM episode JOIN thread
    ON thread.tenant = episode.tenant AND thread.store = episode.store
    AND thread.person = episode.person AND thread.id = episode.thread;

PRAGMA user_version = 2;
