-- Statements of PostgreSQL's adapter that move rows as they are; those of a tenant are read in order,
-- a thousand at a time. Parameters are those of SQLite's statements.

-- name: move_tenant
-- The tenant itself.
SELECT salt, created_at
FROM tenant
WHERE tenant = ?1;

-- name: move_resource
-- What governs it, in order.
SELECT kind, id, name, person, version, document, created_at, changed_at
FROM resource
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY kind, id;

-- name: move_episode
-- Raw records, in order of recording.
SELECT no, id, store, person, role, kind,
       content, occurred_at, recorded_at, speaker,
       thread, external_id, metadata, expires_at,
       flagged, stub
FROM episode
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_episode_numbers
-- The numbers of episodes, rising.
SELECT no FROM episode
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_thread
-- Threads, in order of recording.
SELECT no, store, person, id, agent, metadata,
       created_at, ttl_days, last_position, expires_at
FROM thread
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_thread_numbers
-- The numbers of threads, rising.
SELECT no FROM thread
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_thread_item
-- Where episodes stand, in order.
SELECT thread, position, episode, agent, sealed
FROM thread_item
WHERE tenant = ?1 AND (?2::text IS NULL OR thread = ANY (ARRAY(
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2)))
  AND (?2::text IS NULL OR episode = ANY (ARRAY(
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))
ORDER BY thread, position;

-- name: move_thread_state
-- The states of threads, in order.
SELECT thread, version, document, at
FROM thread_state
WHERE tenant = ?1 AND (?2::text IS NULL OR thread = ANY (ARRAY(
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2)))
ORDER BY thread;

-- name: move_key
-- Keys, with what is in force of each, in order of recording.
SELECT no, store, person, subject, attribute, type, name,
       last_recorded, head_from, head_to, head_recorded, head_expires,
       head_replaced, head_replacer, head
FROM key
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_key_numbers
-- The numbers of keys, rising.
SELECT no FROM key
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY no;

-- name: move_statement
-- Statements, in order of recording.
SELECT no, id, key, member, role,
       kind, token, valid_from, valid_to,
       stated_end, basis, recorded_from, withdrawn_at,
       forgotten_at, gap, place, turn, bears,
       bears_from, clean, indexed, keep, type,
       value_kind, value, text, replaces,
       status, contested, source_episode, source,
       quote, speaker, trust, writer,
       confidence, importance, metadata, retention,
       expires_at, created_at, last_changed_at,
       confirmed_at, evidence_count, retrieved_count,
       schema_version, fields, flagged, fingerprint,
       outcome, ended, reason
FROM statement
WHERE tenant = ?1 AND (?2::text IS NULL OR key = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2)))
ORDER BY no;

-- name: move_statement_numbers
-- The numbers of statements, rising.
SELECT no FROM statement
WHERE tenant = ?1 AND (?2::text IS NULL OR key = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2)))
ORDER BY no;

-- name: move_belief
-- Beliefs, in order of recording.
SELECT no, key, member, memory, valid_from, valid_to,
       recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND (?2::text IS NULL OR key = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2)))
ORDER BY no;

-- name: move_alias
-- Other names of subjects, in order.
SELECT store, person, name, written, subject, at
FROM alias
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY store, person, name;

-- name: move_person
-- Which subjects persons are, in order.
SELECT person, subject
FROM person
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY person;

-- name: move_audit
-- The audit trail, with what was not emptied of it, in order of recording.
SELECT audit.no, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, CASE WHEN ?2::text IS NULL THEN audit.seal END, audit_content.store, audit_content.person,
       audit_content.key, audit_content.salt, audit_content.content
FROM audit
LEFT JOIN audit_content ON audit_content.tenant = audit.tenant
    AND audit_content.audit = audit.no
WHERE audit.tenant = ?1 AND (?2::text IS NULL OR audit.no = ANY (ARRAY(
        SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?2)))
ORDER BY audit.no;

-- name: move_seal
-- The seals of the trail, in order.
SELECT n, entries, at, hash
FROM seal
WHERE tenant = ?1 AND ?2::text IS NULL
ORDER BY n;

-- name: move_idempotency
-- Answers that were kept, in order.
SELECT caller, endpoint, name, person, request, answer, at
FROM idempotency
WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)
ORDER BY caller, endpoint, name;

-- name: move_erased
-- Who was erased.
SELECT person, at, counts, state
FROM erased
WHERE tenant = ?1
ORDER BY person;

-- name: move_usage
-- What model calls came to, in order.
SELECT day, store, model, kind, calls, failed, input_tokens, output_tokens
FROM usage
WHERE tenant = ?1 AND ?2::text IS NULL
ORDER BY day, store, model, kind;

-- name: move_counts
-- How many rows of each table there are to move.
SELECT (SELECT count(*) FROM tenant WHERE tenant = ?1),
       (SELECT count(*) FROM resource WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM episode WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM thread WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM thread_item WHERE tenant = ?1 AND (?2::text IS NULL OR thread = ANY (ARRAY(
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2)))
  AND (?2::text IS NULL OR episode = ANY (ARRAY(
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))),
       (SELECT count(*) FROM thread_state WHERE tenant = ?1 AND (?2::text IS NULL OR thread = ANY (ARRAY(
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2)))),
       (SELECT count(*) FROM key WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM statement WHERE tenant = ?1 AND (?2::text IS NULL OR key = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2)))),
       (SELECT count(*) FROM belief WHERE tenant = ?1 AND (?2::text IS NULL OR key = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2)))),
       (SELECT count(*) FROM alias WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM person WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM audit WHERE tenant = ?1 AND (?2::text IS NULL OR no = ANY (ARRAY(
        SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?2)))),
       (SELECT count(*) FROM seal WHERE tenant = ?1 AND ?2::text IS NULL),
       (SELECT count(*) FROM idempotency WHERE tenant = ?1 AND (?2::text IS NULL OR person = ?2)),
       (SELECT count(*) FROM erased WHERE tenant = ?1),
       (SELECT count(*) FROM usage WHERE tenant = ?1 AND ?2::text IS NULL);

-- name: move_last
-- The highest number in use of each numbered table, by the tenant.
SELECT (SELECT coalesce(max(no), 0) FROM episode WHERE tenant = ?1),
       (SELECT coalesce(max(no), 0) FROM thread WHERE tenant = ?1),
       (SELECT coalesce(max(no), 0) FROM key WHERE tenant = ?1),
       (SELECT coalesce(max(no), 0) FROM statement WHERE tenant = ?1),
       (SELECT coalesce(max(no), 0) FROM belief WHERE tenant = ?1),
       (SELECT coalesce(max(no), 0) FROM audit WHERE tenant = ?1);

-- name: move_persons
-- Every person of whom there is anything.
SELECT person FROM key WHERE tenant = ?1
UNION SELECT person FROM episode WHERE tenant = ?1
UNION SELECT person FROM thread WHERE tenant = ?1
UNION SELECT person FROM alias WHERE tenant = ?1
UNION SELECT person FROM resource WHERE tenant = ?1
UNION SELECT person FROM person WHERE tenant = ?1
UNION SELECT person FROM idempotency WHERE tenant = ?1
ORDER BY person;

-- name: move_vectors
-- Vectors, by model and what they are of.
SELECT embedder.name, embedder.revision, embedder.dimension, passage.kind, passage.source,
       passage.start, vector_row.data
FROM vector_row
JOIN passage ON passage.tenant = vector_row.tenant AND passage.no = vector_row.passage
JOIN embedder ON embedder.no = vector_row.model
WHERE vector_row.tenant = ?1 AND (?2::text IS NULL
    OR passage.kind = 0 AND passage.home = ANY (ARRAY(
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))
    OR passage.kind = 1 AND passage.source = ANY (ARRAY(
        SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))
ORDER BY embedder.name, embedder.revision, embedder.dimension, passage.kind, passage.source,
         passage.start;

-- name: passage_at
-- The passage of a memory or of an episode that begins at a place.
SELECT no, scope FROM passage WHERE tenant = ? AND source = ? AND kind = ? AND start = ?;

-- name: load_tenant
-- A row of the table tenant, as it was.
INSERT INTO tenant (tenant, salt, created_at)
VALUES (?, ?, ?);

-- name: load_resource
-- A row of the table resource, as it was.
INSERT INTO resource (tenant, kind, id, name, person, version, document, created_at, changed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_episode
-- A row of the table episode, as it was.
INSERT INTO episode (no, tenant, id, store, person, role, kind, content, occurred_at,
       recorded_at, speaker, thread, external_id, metadata, expires_at, flagged, stub)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_thread
-- A row of the table thread, as it was.
INSERT INTO thread (no, tenant, store, person, id, agent, metadata, created_at, ttl_days,
       last_position, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_thread_item
-- A row of the table thread_item, as it was.
INSERT INTO thread_item (tenant, thread, position, episode, agent, sealed)
VALUES (?, ?, ?, ?, ?, ?);

-- name: load_thread_state
-- A row of the table thread_state, as it was.
INSERT INTO thread_state (tenant, thread, version, document, at)
VALUES (?, ?, ?, ?, ?);

-- name: load_key
-- A row of the table key, as it was.
INSERT INTO key (no, tenant, store, person, subject, attribute, type, name, last_recorded,
       head_from, head_to, head_recorded, head_expires, head_replaced, head_replacer, head)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_statement
-- A row of the table statement, as it was.
INSERT INTO statement (no, tenant, id, key, member, role, kind, token, valid_from, valid_to,
       stated_end, basis, recorded_from, withdrawn_at, forgotten_at, gap, place, turn, bears,
       bears_from, clean, indexed, keep, type, value_kind, value, text, replaces, status,
       contested, source_episode, source, quote, speaker, trust, writer, confidence, importance,
       metadata, retention, expires_at, created_at, last_changed_at, confirmed_at,
       evidence_count, retrieved_count, schema_version, fields, flagged, fingerprint, outcome,
       ended, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
       ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_belief
-- A row of the table belief, as it was.
INSERT INTO belief (no, tenant, key, member, memory, valid_from, valid_to, recorded_from,
       recorded_to)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_alias
-- A row of the table alias, as it was.
INSERT INTO alias (tenant, store, person, name, written, subject, at)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: load_person
-- A row of the table person, as it was.
INSERT INTO person (tenant, person, subject)
VALUES (?, ?, ?);

-- name: load_audit
-- An entry of the audit trail, as it was.
INSERT INTO audit (no, tenant, id, at, action, outcome, target, digest, said, seal)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_audit_content
-- What an entry says, as it was.
INSERT INTO audit_content (audit, tenant, store, person, key, salt, content)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: load_seal
-- A row of the table seal, as it was.
INSERT INTO seal (tenant, n, entries, at, hash)
VALUES (?, ?, ?, ?, ?);

-- name: load_idempotency
-- A row of the table idempotency, as it was.
INSERT INTO idempotency (tenant, caller, endpoint, name, person, request, answer, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: load_erased
-- A row of the table erased, as it was.
INSERT INTO erased (tenant, person, at, counts, state)
VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant, person) DO UPDATE SET
    at = excluded.at, counts = excluded.counts, state = excluded.state;

-- name: load_usage
-- A row of the table usage, as it was.
INSERT INTO usage (tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: numbers_past
-- The first number of the last of some blocks that nobody else is given.
SELECT max(nextval('number')) FROM generate_series(1, ?::bigint);

-- name: schema
-- The number of the last migration.
SELECT max(number) FROM migration;
