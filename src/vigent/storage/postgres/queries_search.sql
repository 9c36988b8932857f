-- Statements about words, vectors, threads, names, resources and lists; see queries.sql.

-- name: of_type
-- What is in force of one owner and of one of the types that keys note, ?4 being the note of it.
SELECT belief.memory, belief.no, belief.valid_from, belief.valid_to, belief.recorded_from,
       statement.recorded_from, statement.fields
FROM key
JOIN belief ON belief.tenant = key.tenant AND belief.key = key.no
JOIN statement ON statement.tenant = key.tenant AND statement.no = belief.memory
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = ?3
  AND key.bears <> 0 AND key.bears & ?4 <> 0
  AND belief.tenant = ?1 AND belief.recorded_to IS NULL
  AND belief.valid_from <= greatest(?6, key.last_recorded)
  AND belief.valid_to > greatest(?6, key.last_recorded)
  AND statement.tenant = ?1 AND statement.type = ?5
  AND statement.forgotten_at = 9223372036854775807
  AND statement.expires_at > greatest(?6, key.last_recorded);

-- name: statements_from
-- The statements of a tenant from a number on.
SELECT no, tenant, id, key, member, role, kind, token, valid_from, valid_to, stated_end,
       basis, recorded_from, withdrawn_at, forgotten_at, gap, place, turn, bears, bears_from, clean,
       indexed, keep, type, value_kind, value, text, replaces, status, contested, source_episode,
       source, quote, speaker, trust, writer, confidence, importance, metadata, retention,
       expires_at, created_at, last_changed_at, confirmed_at, evidence_count, retrieved_count,
       schema_version, fields, flagged, fingerprint, outcome, ended, reason
FROM statement WHERE tenant = ?1 AND no > ?2
ORDER BY no LIMIT ?3;

-- name: keys_counted
-- How many keys a person has in a store, at most so many.
SELECT count(*) FROM (
    SELECT 1 FROM key WHERE tenant = ?1 AND store = ?2 AND person = ?3 LIMIT ?4) AS found;

-- name: statements_recorded
-- The statements of one or two persons in a store in order of recording, from a place on.
SELECT statement.no, statement.tenant, statement.id, statement.key, statement.member,
       statement.role, statement.kind, statement.token, statement.valid_from, statement.valid_to,
       statement.stated_end, statement.basis, statement.recorded_from, statement.withdrawn_at,
       statement.forgotten_at, statement.gap, statement.place, statement.turn, statement.bears,
       statement.bears_from, statement.clean, statement.indexed, statement.keep, statement.type,
       statement.value_kind, statement.value, statement.text, statement.replaces, statement.status,
       statement.contested, statement.source_episode, statement.source, statement.quote,
       statement.speaker, statement.trust, statement.writer, statement.confidence,
       statement.importance, statement.metadata, statement.retention, statement.expires_at,
       statement.created_at, statement.last_changed_at, statement.confirmed_at,
       statement.evidence_count, statement.retrieved_count, statement.schema_version,
       statement.fields, statement.flagged, statement.fingerprint, statement.outcome,
       statement.ended, statement.reason
FROM statement JOIN key ON key.tenant = statement.tenant AND key.no = statement.key
WHERE statement.tenant = ?1 AND (statement.recorded_from, statement.id) >= (?2, ?3)
  AND key.tenant = ?1 AND key.store = ?4 AND key.person IN (?5, ?6)
  AND (?7::text IS NULL OR key.attribute = ?7)
ORDER BY statement.recorded_from, statement.id LIMIT ?8;

-- name: statements_waiting
-- What waits for a decision in some stores, of one or two persons or of all, behind a place.
SELECT statement.no, statement.tenant, statement.id, statement.key, statement.member,
       statement.role, statement.kind, statement.token, statement.valid_from, statement.valid_to,
       statement.stated_end, statement.basis, statement.recorded_from, statement.withdrawn_at,
       statement.forgotten_at, statement.gap, statement.place, statement.turn, statement.bears,
       statement.bears_from, statement.clean, statement.indexed, statement.keep, statement.type,
       statement.value_kind, statement.value, statement.text, statement.replaces, statement.status,
       statement.contested, statement.source_episode, statement.source, statement.quote,
       statement.speaker, statement.trust, statement.writer, statement.confidence,
       statement.importance, statement.metadata, statement.retention, statement.expires_at,
       statement.created_at, statement.last_changed_at, statement.confirmed_at,
       statement.evidence_count, statement.retrieved_count, statement.schema_version,
       statement.fields, statement.flagged, statement.fingerprint, statement.outcome,
       statement.ended, statement.reason
FROM statement JOIN key ON key.tenant = statement.tenant AND key.no = statement.key
WHERE statement.tenant = ?1 AND (statement.recorded_from, statement.id) > (?2, ?3)
  AND statement.role = 'held' AND statement.status IN ('pending_review', 'buffered')
  AND key.tenant = ?1
  AND key.store = ANY (ARRAY(SELECT jsonb_array_elements_text(?4::jsonb)))
  AND (?5::text IS NULL OR key.person IN (?5, ?6))
  AND (?7::text IS NULL OR statement.reason = ?7) AND statement.expires_at > ?8
ORDER BY statement.recorded_from, statement.id LIMIT ?9;

-- name: passage_insert
-- Make a stretch of a memory or of an episode findable.
INSERT INTO passage (tenant, scope, kind, type, source, home, start, stop, at, about, words)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11);

-- name: passage_outdate
-- Tell readers of a scope that passages of a memory or of an episode go.
INSERT INTO index_change (tenant, scope, generation)
SELECT DISTINCT tenant, scope, 1::bigint FROM passage
WHERE tenant = ?1 AND source = ?2 AND kind = ?3 ORDER BY scope
ON CONFLICT (tenant, scope) DO UPDATE SET generation = index_change.generation + 1;

-- name: passage_delete
-- Take a memory or an episode out of the index.
DELETE FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3;

-- name: vector_delete
-- Drop the vectors of a memory or of an episode.
DELETE FROM vector_row WHERE tenant = ?1 AND passage IN (
    SELECT no FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3);

-- name: vector_put
-- Keep the vector of a passage that is still there and that nobody else has done. Who removes the
-- passage at the same time is waited for.
INSERT INTO vector_row (tenant, scope, model, passage, data)
SELECT tenant, scope, ?3::bigint, no, ?5::bytea FROM passage
WHERE tenant = ?1 AND scope = ?2 AND no = ?4 FOR KEY SHARE
ON CONFLICT (tenant, passage, model) DO NOTHING;

-- name: vectors_outdate
-- Tell readers of the scopes whose vectors vectors_drop takes; both choose in one order.
INSERT INTO index_change (tenant, scope, generation)
SELECT DISTINCT tenant, scope, 1::bigint FROM (
    SELECT tenant, scope FROM vector_row WHERE tenant = ?1 AND model <> ?2
    ORDER BY scope, model, no LIMIT ?3) AS gone
ORDER BY scope
ON CONFLICT (tenant, scope) DO UPDATE SET generation = index_change.generation + 1;

-- name: vectors_drop
-- Drop some of a tenant's vectors that were made by other models than one.
DELETE FROM vector_row WHERE tenant = ?1 AND no IN (
    SELECT no FROM vector_row WHERE tenant = ?1 AND model <> ?2
    ORDER BY scope, model, no LIMIT ?3);

-- name: vectors_by_others
-- How many vectors of a tenant a model did not make.
SELECT count(*) FROM vector_row WHERE tenant = ?1 AND model <> ?2;

-- name: embedder_restart
-- Let other models begin anew, as vectors of theirs go; those that stay are passed over.
UPDATE embedder SET done = 0, settled = 0 WHERE no <> ?1;

-- name: index_generation
-- How often passages or vectors of a scope were removed.
SELECT generation FROM index_change WHERE tenant = ?1 AND scope = ?2;

-- name: passages_of_source
-- The passages of a memory or of an episode.
SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3 ORDER BY no;

-- name: passage_before
-- The last passage of the episode that goes before in the same thread and scope. The episode is
-- found from the position backwards, however long the thread is.
SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
FROM passage
WHERE tenant = ?1 AND scope = ?3 AND kind = 1 AND source = (
    SELECT prior.episode FROM thread_item AS prior
    WHERE prior.tenant = ?1
      AND prior.thread = (SELECT thread FROM thread_item WHERE tenant = ?1 AND episode = ?2)
      AND prior.position < (SELECT position FROM thread_item WHERE tenant = ?1 AND episode = ?2)
      AND EXISTS (
        SELECT 1 FROM passage AS own
        WHERE own.tenant = ?1 AND own.source = prior.episode AND own.kind = 1 AND own.scope = ?3)
    ORDER BY prior.position DESC LIMIT 1)
ORDER BY no DESC LIMIT 1;

-- name: passages_counted
-- How many passages a tenant has, and how many of them come after one.
SELECT count(*), count(*) FILTER (WHERE no > ?2) FROM passage WHERE tenant = ?1;

-- name: vectors_of_scope
-- The vectors of a scope by one model that came after one.
SELECT no, tenant, scope, model, passage, data
FROM vector_row WHERE tenant = ?1 AND scope = ?2 AND model = ?3 AND no > ?4 ORDER BY no;

-- name: embedder_find
-- What is known of a model.
SELECT no, name, revision, dimension, done, lease_until, problem FROM embedder WHERE name =
       ?1 AND revision = ?2 AND dimension = ?3;

-- name: embedder_insert
-- Give a model a number.
INSERT INTO embedder (name, revision, dimension, done, lease_until, problem, settled, upcoming)
VALUES (?1, ?2, ?3, 0, 0, NULL, 0, 0)
ON CONFLICT (name, revision, dimension) DO NOTHING;

-- name: embedder_put
-- Note how far a model has come, and who is at it until when. Before it looks for passages it takes
-- its lease, and afterwards it has come farther: what was written by transactions that had not
-- ended when the lease was taken is looked at once more.
UPDATE embedder SET done = ?1, lease_until = ?2, problem = ?3,
    settled = CASE WHEN ?1 > done THEN upcoming ELSE settled END,
    upcoming = CASE WHEN ?1 > done THEN upcoming
               ELSE pg_snapshot_xmin(pg_current_snapshot())::text::bigint END
WHERE no = ?4;

-- name: beliefs_of_memories
-- Every stretch of some memories ever believed, those of each in order of time.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND memory = ANY (ARRAY(
    SELECT v::bigint FROM jsonb_array_elements_text(?2::jsonb) AS t(v)))
ORDER BY valid_from, recorded_from, no;

-- name: believed_of_keys
-- The latest stretches of some keys believed now, at most so many of each.
SELECT found.* FROM jsonb_array_elements_text(?2::jsonb) AS t(v)
CROSS JOIN LATERAL (
    SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
    FROM belief
    WHERE belief.tenant = ?1 AND belief.key = t.v::bigint AND belief.recorded_to IS NULL
    ORDER BY belief.member, belief.valid_from LIMIT ?3) AS found;

-- name: believed_at_points
-- As believed_at, for many timelines and instants at once: key, member in hexadecimal, instant. The
-- instant stands before each stretch.
SELECT (t.v ->> 2)::bigint, found.*
FROM jsonb_array_elements(?2::jsonb) AS t(v)
CROSS JOIN LATERAL (
    SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
    FROM belief
    WHERE belief.tenant = ?1 AND belief.key = (t.v ->> 0)::bigint
      AND belief.member = decode(t.v ->> 1, 'hex') AND belief.recorded_to IS NULL
      AND belief.valid_from <= (t.v ->> 2)::bigint
    ORDER BY belief.valid_from DESC LIMIT 1) AS found;

-- name: episodes_by_number
-- Episodes by their row numbers.
SELECT no, tenant, id, store, person, role, kind, content, occurred_at, recorded_at, speaker,
       thread, external_id, metadata, expires_at, flagged, stub
FROM episode WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT v::bigint FROM jsonb_array_elements_text(?2::jsonb) AS t(v))) ORDER BY no;

-- name: said
-- Episodes by their row numbers, each with its place in a thread and until when that is usage.
SELECT episode.no, episode.tenant, episode.id, episode.store, episode.person, episode.role,
       episode.kind, episode.content, episode.occurred_at, episode.recorded_at, episode.speaker,
       episode.thread, episode.external_id, episode.metadata, episode.expires_at, episode.flagged,
       episode.stub, item.thread, item.position, item.episode, item.agent, item.sealed,
       thread.expires_at
FROM episode
LEFT JOIN thread_item AS item ON item.tenant = ?1 AND item.episode = episode.no
LEFT JOIN thread ON thread.tenant = ?1 AND thread.no = item.thread
WHERE episode.tenant = ?1 AND episode.no = ANY (ARRAY(
    SELECT v::bigint FROM jsonb_array_elements_text(?2::jsonb) AS t(v)));

-- name: episodes_from
-- The episodes of a tenant from a row number on.
SELECT no, tenant, id, store, person, role, kind, content, occurred_at, recorded_at, speaker,
       thread, external_id, metadata, expires_at, flagged, stub
FROM episode WHERE tenant = ?1 AND no > ?2 ORDER BY no LIMIT ?3;

-- name: passages_amiss
-- Memories of a tenant that the index lacks, or has and should not.
SELECT 0::bigint, no, indexed FROM statement
WHERE tenant = ?1 AND (indexed <> 0) <> EXISTS (
    SELECT 1 FROM passage WHERE tenant = ?1 AND source = statement.no AND kind = 0);

-- name: items_amiss
-- Episodes of a tenant that the index lacks, or has and should not: stubs, a model's own reasoning
-- and what is sealed.
SELECT 1::bigint, no, said::int::bigint FROM (
    SELECT no, stub = 0 AND content IS NOT NULL AND kind <> 'reasoning' AND NOT EXISTS (
        SELECT 1 FROM thread_item AS item
        WHERE item.tenant = ?1 AND item.episode = episode.no AND item.sealed = 1) AS said
    FROM episode WHERE tenant = ?1) AS item
WHERE said <> EXISTS (
    SELECT 1 FROM passage WHERE tenant = ?1 AND source = item.no AND passage.kind = 1);

-- name: passages_of_nothing
-- Memories and episodes of a tenant that are gone and yet have passages.
SELECT DISTINCT kind, source, 0::bigint FROM passage
WHERE tenant = ?1 AND NOT EXISTS (
    SELECT 1 FROM statement
    WHERE passage.kind = 0 AND statement.tenant = ?1 AND statement.no = passage.source)
  AND NOT EXISTS (
    SELECT 1 FROM episode
    WHERE passage.kind = 1 AND episode.tenant = ?1 AND episode.no = passage.source);

-- name: job_find
-- Whether there is work of a kind in a lane of a tenant.
SELECT no FROM job WHERE kind = ?1 AND tenant = ?2 AND lane = ?3 LIMIT 1;

-- name: thread_find
-- One thread of a person, by its id.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE tenant = ?1 AND store = ?2 AND person = ?3 AND id = ?4;

-- name: thread_anywhere
-- The threads of one id, whoever's and in whichever store.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE tenant = ?1 AND id = ?2;

-- name: threads_of_person
-- All threads of a person in a store.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE tenant = ?1 AND store = ?2 AND person = ?3;

-- name: threads_page
-- Threads of a person in a store from an id on, in order of their ids.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE tenant = ?1 AND store = ?2 AND person = ?3 AND id > ?4
ORDER BY id LIMIT ?5;

-- name: threads_expired
-- Threads past their time.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE tenant = ?1 AND expires_at <= ?2;

-- name: threads_quiet
-- Threads of a store by when they were last spoken in, from one on up to an instant.
SELECT * FROM thread
WHERE tenant = ? AND store = ?
AND expires_at - ttl_days * 86400000000 >= ? AND expires_at - ttl_days * 86400000000 <= ?
AND (expires_at - ttl_days * 86400000000 > ? OR no > ?)
ORDER BY expires_at - ttl_days * 86400000000, no LIMIT ?;

-- name: thread_by_no
-- One thread by its number.
SELECT no, tenant, store, person, id, agent, metadata, created_at, ttl_days, last_position,
       expires_at
FROM thread WHERE no = ?1 AND tenant = ?2;

-- name: thread_put
-- Keep a thread, or what of it may change.
INSERT INTO thread (no, tenant, store, person, id, agent, metadata, created_at, ttl_days,
                            last_position, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
ON CONFLICT (tenant, no) DO UPDATE
SET last_position = excluded.last_position, expires_at = excluded.expires_at;

-- name: thread_delete
-- Let a thread go.
DELETE FROM thread WHERE no = ?1 AND tenant = ?2;

-- name: items_after
-- What follows a position of a thread: a person's and the shared; all of it for a limit of -1.
SELECT item.thread, item.position, item.episode, item.agent, item.sealed, episode.no,
       episode.tenant, episode.id, episode.store, episode.person, episode.role, episode.kind,
       episode.content, episode.occurred_at, episode.recorded_at, episode.speaker, episode.thread,
       episode.external_id, episode.metadata, episode.expires_at, episode.flagged, episode.stub
FROM thread_item AS item
JOIN episode ON episode.tenant = item.tenant AND episode.no = item.episode
WHERE item.tenant = ?1 AND item.thread = ?2 AND item.position > ?3
  AND episode.tenant = ?1 AND (episode.person = ?4 OR episode.person = '')
ORDER BY item.position LIMIT nullif(?5::bigint, -1);

-- name: items_last
-- The last of what follows a position of a thread, latest first; see items_after.
SELECT item.thread, item.position, item.episode, item.agent, item.sealed, episode.no,
       episode.tenant, episode.id, episode.store, episode.person, episode.role, episode.kind,
       episode.content, episode.occurred_at, episode.recorded_at, episode.speaker, episode.thread,
       episode.external_id, episode.metadata, episode.expires_at, episode.flagged, episode.stub
FROM thread_item AS item
JOIN episode ON episode.tenant = item.tenant AND episode.no = item.episode
WHERE item.tenant = ?1 AND item.thread = ?2 AND item.position > ?3
  AND episode.tenant = ?1 AND (episode.person = ?4 OR episode.person = '')
ORDER BY item.position DESC LIMIT ?5;

-- name: item_episodes
-- The episodes of a thread.
SELECT episode FROM thread_item WHERE tenant = ?1 AND thread = ?2 ORDER BY position;

-- name: item_of_episode
-- Where an episode stands.
SELECT thread, position, episode, agent, sealed FROM thread_item
WHERE tenant = ?1 AND episode = ?2;

-- name: item_insert
-- Give an episode its place.
INSERT INTO thread_item (thread, position, episode, agent, sealed, tenant)
VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: item_delete
-- Let the places of a thread go.
DELETE FROM thread_item WHERE thread = ?1 AND tenant = ?2;

-- name: state_find
-- The state of a thread.
SELECT thread, tenant, version, document, at FROM thread_state WHERE thread = ?1 AND tenant = ?2;

-- name: state_put
-- Keep the state of a thread, in place of the one before.
INSERT INTO thread_state (thread, tenant, version, document, at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (tenant, thread) DO UPDATE
SET version = excluded.version, document = excluded.document, at = excluded.at;

-- name: state_delete
-- Let the state of a thread go.
DELETE FROM thread_state WHERE thread = ?1 AND tenant = ?2;

-- name: aliased
-- Whether an alias of a person, or a shared one, names a subject.
SELECT 1 FROM alias WHERE tenant = ?1 AND name = ?2 AND store = ?3 AND person IN (?4, '')
UNION ALL
SELECT 1 FROM alias WHERE tenant = ?1 AND subject = ?2 AND store = ?3 AND person IN (?4, '')
LIMIT 1;

-- name: aliased_by_anyone
-- Whether an alias names a subject, whoever's it is.
SELECT 1 FROM alias WHERE tenant = ?1 AND name = ?2 AND store = ?3
UNION ALL
SELECT 1 FROM alias WHERE tenant = ?1 AND subject = ?2 AND store = ?3
LIMIT 1;

-- name: aliases_naming
-- The aliases of a person, and the shared, that have a subject at either end.
SELECT tenant, store, person, name, written, subject, at FROM alias
WHERE tenant = ?1 AND name = ?2 AND store = ?3 AND person IN (?4, '')
UNION ALL
SELECT tenant, store, person, name, written, subject, at FROM alias
WHERE tenant = ?1 AND subject = ?2 AND store = ?3 AND person IN (?4, '');

-- name: aliases_anywhere
-- The aliases of a person, and the shared, that have a subject at either end, in every store.
SELECT tenant, store, person, name, written, subject, at FROM alias
WHERE tenant = ?1 AND name = ?2 AND person IN (?3, '')
UNION ALL
SELECT tenant, store, person, name, written, subject, at FROM alias
WHERE tenant = ?1 AND subject = ?2 AND person IN (?3, '');

-- name: aliases_of
-- All aliases of one person in a store.
SELECT tenant, store, person, name, written, subject, at FROM alias
WHERE tenant = ?1 AND person = ?2 AND store = ?3
ORDER BY name;

-- name: alias_insert
-- Keep an alias.
INSERT INTO alias (tenant, store, person, name, written, subject, at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: alias_delete
-- Let an alias go.
DELETE FROM alias WHERE tenant = ?1 AND name = ?2 AND store = ?3 AND person = ?4;

-- name: resource
-- One resource by its id.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ?1 AND kind = ?2 AND id = ?3;

-- name: resource_named
-- One resource by its name.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ?1 AND kind = ?2 AND name = ?3;

-- name: resources
-- The resources of a kind after an id.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ?1 AND kind = ?2 AND id > ?3 ORDER BY id LIMIT ?4;

-- name: candidates
-- What was proposed, of everyone, with ids between two, where the document holds some words.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource
WHERE tenant = ?1 AND kind = 'candidate' AND id > ?2 AND id < ?3
  AND strpos(document, ?4) > 0
ORDER BY id LIMIT ?5;

-- name: candidates_of_person
-- The same, of one person.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource
WHERE tenant = ?1 AND kind = 'candidate' AND id > ?2 AND id < ?3
  AND strpos(document, ?4) > 0 AND person = ?6
ORDER BY id LIMIT ?5;

-- name: resource_put
-- A resource, new or in place of what it was.
INSERT INTO resource
    (tenant, kind, id, name, person, version, document, created_at, changed_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (tenant, kind, id) DO UPDATE SET
    name = excluded.name, version = excluded.version, document = excluded.document,
    changed_at = excluded.changed_at;

-- name: resource_delete
-- A resource that goes.
DELETE FROM resource WHERE tenant = ?1 AND kind = ?2 AND id = ?3;

-- name: audit_entries
-- Entries of the audit trail before one of them, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       content.store, content.person, content.content
FROM audit
LEFT JOIN audit_content AS content ON content.tenant = audit.tenant AND content.audit = audit.no
WHERE audit.tenant = ?1 AND audit.id < ?2
  AND (?3::text IS NULL OR audit.action = ?3) AND ?4::text IS NULL
ORDER BY audit.id DESC LIMIT ?5;

-- name: audit_entries_of
-- The entries about one record, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       content.store, content.person, content.content
FROM audit
LEFT JOIN audit_content AS content ON content.tenant = audit.tenant AND content.audit = audit.no
WHERE audit.tenant = ?1 AND audit.id < ?2
  AND (?3::text IS NULL OR audit.action = ?3) AND audit.target = ?4
ORDER BY audit.id DESC LIMIT ?5;

-- name: audit_entries_about
-- The entries that concern a person, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       content.store, content.person, content.content
FROM audit
JOIN audit_content AS content ON content.tenant = audit.tenant AND content.audit = audit.no
WHERE audit.tenant = ?1 AND audit.no = ANY (ARRAY(
    SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?6))
  AND content.tenant = ?1 AND content.person = ?6
  AND (?2::text IS NULL OR audit.id < ?2) AND (?3::text IS NULL OR audit.action = ?3)
  AND (?4::text IS NULL OR audit.target = ?4)
ORDER BY audit.id DESC LIMIT ?5;

-- name: audit_first_seal
-- The first seal that still has entries.
SELECT min(seal) FROM audit WHERE tenant = ?1 AND seal IS NOT NULL;

-- name: seal_since
-- The first seal from a number on that was made at or after an instant.
SELECT n FROM seal WHERE tenant = ?1 AND n >= ?2 AND at >= ?3 ORDER BY n LIMIT 1;

-- name: usage_add
-- Count model calls.
INSERT INTO usage
    (tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (tenant, day, store, model, kind) DO UPDATE SET
    calls = usage.calls + excluded.calls, failed = usage.failed + excluded.failed,
    input_tokens = usage.input_tokens + excluded.input_tokens,
    output_tokens = usage.output_tokens + excluded.output_tokens;

-- name: usage_between
-- What model calls came to on some days.
SELECT tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens
FROM usage WHERE tenant = ?1 AND day >= ?2 AND day < ?3 ORDER BY day, store, model, kind;

-- name: stores_of_person
-- The stores in which a person has anything.
SELECT store FROM key WHERE tenant = ?1 AND person = ?2
UNION SELECT store FROM episode WHERE tenant = ?1 AND person = ?2
UNION SELECT store FROM thread WHERE tenant = ?1 AND person = ?2
UNION SELECT store FROM alias WHERE tenant = ?1 AND person = ?2;

-- name: episodes_of_person
-- The episodes of a person in every store.
SELECT no, tenant, id, store, person, role, kind, content, occurred_at, recorded_at, speaker,
       thread, external_id, metadata, expires_at, flagged, stub
FROM episode WHERE tenant = ?1 AND person = ?2 ORDER BY occurred_at, no;

-- name: unpurged_since
-- Since when rows are removed that may still be in the files. Sweeps.
SELECT min(run_at) FROM job WHERE kind = 'purge';

-- name: jobs_counted
-- How much queued work there is, by kind and state. Sweeps.
SELECT kind, state, count(*) FROM job GROUP BY kind, state ORDER BY kind, state;

-- name: passages_of_scope
-- The passages of a scope that came after one.
SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
FROM passage
WHERE tenant = ?1 AND scope = ?2 AND no > ?3 ORDER BY no;

-- name: passages_new
-- The passages of a scope that came after one, and those before it that a transaction wrote which
-- had not ended when the scope was read last. One of the future is from before a restore.
SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
FROM passage
WHERE tenant = ?1 AND scope = ?2 AND no > ?3
UNION ALL
SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
FROM passage
WHERE tenant = ?1 AND scope = ?2 AND no <= ?3 AND tx >= ?4::text::xid8
  AND tx < pg_snapshot_xmax(pg_current_snapshot())
ORDER BY no;

-- name: horizon
-- The oldest transaction that had not ended when the view was opened.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint;

-- name: passages_made
-- Which transactions made passages, after a number, and whose. Sweeps.
SELECT no, tenant, tx::text::bigint FROM passage_made WHERE no > ?1 ORDER BY no LIMIT ?2;

-- name: passages_late
-- Which transactions made passages up to a number that a model may have looked for too early, and
-- whose. The sum keeps the planner from reading all that was made before. Sweeps.
SELECT no, tenant, tx::text::bigint FROM passage_made
WHERE tx >= (SELECT settled::text::xid8 FROM embedder WHERE embedder.no = ?1) AND no + 0 <= ?2
ORDER BY tx;

-- name: passages_unembedded
-- Passages of a tenant that some transactions wrote and that have no vector by a model. Of each
-- transaction no more are read than are asked for.
SELECT found.* FROM jsonb_array_elements_text(?2::jsonb) AS t(v)
CROSS JOIN LATERAL (
    SELECT no, tenant, scope, kind, type, source, home, start, stop, at, about, words
    FROM passage
    WHERE passage.tenant = ?1 AND passage.tx = t.v::xid8 AND NOT EXISTS (
        SELECT 1 FROM vector_row AS made
        WHERE made.tenant = ?1 AND made.passage = passage.no AND made.model = ?3)
    ORDER BY passage.no LIMIT ?4) AS found
ORDER BY found.no LIMIT ?4;

-- name: last_passage
-- A number that no passage is above. Sweeps.
SELECT coalesce(max(no), 0) FROM passage_made;

-- name: last_change
-- A number that is another one after every commit.
SELECT hashtextextended(pg_current_snapshot()::text, 0);

-- name: believed_among
-- Those of some memories that are believed now and are not over at an instant.
SELECT DISTINCT memory FROM belief
WHERE tenant = ?1 AND memory = ANY (ARRAY(
    SELECT v::bigint FROM jsonb_array_elements_text(?2::jsonb) AS t(v)))
  AND recorded_to IS NULL AND valid_to > ?3;

-- name: last_seal
-- The newest seal of a tenant.
SELECT n, hash FROM seal WHERE tenant = ? AND n > 0 ORDER BY n DESC LIMIT 1;

-- name: tenants
-- All tenants of the store. Sweeps.
SELECT tenant FROM tenant_name ORDER BY tenant;

-- name: unsealed_since
-- When the oldest entry was made that has no seal yet. Sweeps.
SELECT min(at) FROM activity;

-- name: last_entry
-- When the newest entry of any audit trail was made. Sweeps.
SELECT greatest((SELECT max(at) FROM activity), (SELECT max(wrote_at) FROM tenant_name));
