-- Every statement of PostgreSQL's adapter, by name; those about words, vectors, threads, names,
-- resources and lists are in queries_search.sql. Parameters are those of SQLite's statements.

-- name: head
-- The quick answer for one attribute of a subject, of a person or of what is shared.
SELECT no, person, name, last_recorded, head_from, head_to, head_recorded, head_expires,
       head_replaced, head_replacer, head
FROM key
WHERE tenant = ? AND store = ? AND person = ? AND subject = ? AND attribute = ? AND type = '';

-- name: key_exact
-- One key by all of its identity.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND store = ? AND person = ? AND subject = ? AND attribute = ? AND type = ?;

-- name: key_lock
-- One key by all of its identity, for this transaction alone.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND store = ? AND person = ? AND subject = ? AND attribute = ? AND type = ?
FOR UPDATE;

-- name: keys_named
-- Keys of a store by a list of person, subject, attribute and type.
SELECT key.no, key.tenant, key.store, key.person, key.subject, key.attribute, key.type, key.name,
       key.last_recorded
FROM jsonb_array_elements(?3::jsonb) AS named (id)
JOIN key ON key.tenant = ?1 AND key.store = ?2 AND key.person = named.id ->> 0
    AND key.subject = named.id ->> 1 AND key.attribute = named.id ->> 2
    AND key.type = named.id ->> 3;

-- name: keys_named_lock
-- The same, for this transaction alone; everyone takes them in one order.
SELECT key.no, key.tenant, key.store, key.person, key.subject, key.attribute, key.type, key.name,
       key.last_recorded
FROM jsonb_array_elements(?3::jsonb) AS named (id)
JOIN key ON key.tenant = ?1 AND key.store = ?2 AND key.person = named.id ->> 0
    AND key.subject = named.id ->> 1 AND key.attribute = named.id ->> 2
    AND key.type = named.id ->> 3
ORDER BY key.no FOR UPDATE OF key;

-- name: keys_lock
-- Keys by their numbers, for this transaction alone; everyone takes them in one order.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT value::bigint FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)))
ORDER BY no FOR UPDATE;

-- name: keys_numbered
-- Keys by their numbers.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT value::bigint FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)));

-- name: newest_of_keys
-- The highest number of a statement of some keys.
SELECT max(newest.no)
FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)
CROSS JOIN LATERAL (
    SELECT max(no) AS no FROM statement
    WHERE tenant = ?1 AND key = listed.value::bigint) AS newest;

-- name: keys_of_subject
-- The keys of one subject for one person.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND store = ? AND person = ? AND subject = ?
ORDER BY attribute, type;

-- name: keys_of_person
-- All keys of one person in a store.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND store = ? AND person = ?
ORDER BY subject, attribute, type;

-- name: keys_about
-- The keys about a subject of one person, in every store.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND subject = ? AND person = ?
ORDER BY store, attribute, type;

-- name: keys_of_store
-- All keys of a store, whoever's they are.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND store = ?
ORDER BY person, subject, attribute, type;

-- name: keys_of_subject_everyone
-- The keys of one subject in a store, whoever's they are.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND subject = ? AND store = ?
ORDER BY person, store, attribute, type;

-- name: key_by_no
-- One key by its number.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE no = ? AND tenant = ?;

-- name: key_insert
-- A new key, with what is in force of it.
INSERT INTO key (no, tenant, store, person, subject, attribute, type, name, last_recorded,
                 head_from, head_to, head_recorded, head_expires, head_replaced, head_replacer,
                 head)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: key_recorded
-- Move the recorded clock of a key on; the database refuses that it goes back.
UPDATE key SET last_recorded = CASE WHEN last_recorded < ?1 THEN ?1 END
WHERE no = ?2 AND tenant = ?3;

-- name: key_recorded_head
-- Move the recorded clock of a key on, together with what is in force of it; see key_recorded.
UPDATE key SET last_recorded = CASE WHEN last_recorded < ?1 THEN ?1 END, head_from = ?2, head_to = ?3, head_recorded = ?4,
               head_expires = ?5, head_replaced = ?6, head_replacer = ?7, head = ?8
WHERE no = ?9 AND tenant = ?10;

-- name: key_head
-- Keep what is in force of a key for the quick read.
UPDATE key SET head_from = ?, head_to = ?, head_recorded = ?, head_expires = ?,
               head_replaced = ?, head_replacer = ?, head = ?
WHERE no = ? AND tenant = ?;

-- name: key_bears_set
-- Note that a key has borne a commitment (1) or a behaviour (2).
UPDATE key SET bears = bears | ?1::bigint
WHERE no = ?2 AND tenant = ?3 AND bears & ?1::bigint = 0;

-- name: believed_at
-- The stretch of one timeline believed now that may cover an instant.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ? AND member = ? AND recorded_to IS NULL AND valid_from <= ?
ORDER BY valid_from DESC LIMIT 1;

-- name: believed_members_at
-- The stretches of all timelines of a key believed now that cover an instant.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND key = ?2 AND recorded_to IS NULL AND valid_from <= ?3 AND valid_to > ?3;

-- name: believed_known_at
-- The one stretch of a timeline that covers two instants.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND key = ?2 AND member = ?3 AND valid_from <= ?4 AND valid_to > ?4
  AND recorded_from <= ?5 AND (recorded_to IS NULL OR recorded_to > ?5)
LIMIT 1;

-- name: members_known_at
-- The stretches of all timelines of a key that cover two instants.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND key = ?2 AND valid_from <= ?3 AND valid_to > ?3
  AND recorded_from <= ?4 AND (recorded_to IS NULL OR recorded_to > ?4);

-- name: beliefs_of_key
-- Every stretch of a key ever believed.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ?
ORDER BY valid_from, recorded_from, no;

-- name: beliefs_of_memory
-- Every stretch of one memory ever believed.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND memory = ?
ORDER BY valid_from, recorded_from, no;

-- name: believed_of_key
-- The stretches of all timelines of a key believed now that begin in an interval.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ? AND recorded_to IS NULL AND valid_from >= ? AND valid_from < ?
ORDER BY member, valid_from;

-- name: believed_between
-- The stretches of one timeline believed now that begin in an interval.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ? AND member = ? AND recorded_to IS NULL
  AND valid_from >= ? AND valid_from < ?
ORDER BY valid_from;

-- name: changed_valid
-- Believed stretches of a person's keys with an end in an interval of valid time.
SELECT no FROM belief
WHERE tenant = ?1 AND recorded_to IS NULL AND key = ANY (ARRAY(
    SELECT no FROM key WHERE tenant = ?1 AND store = ?2 AND person = ?3))
  AND ((valid_from > ?4 AND valid_from <= ?5) OR (valid_to > ?4 AND valid_to <= ?5));

-- name: changed_recorded
-- Stretches of a person's keys with an end in an interval of recorded time.
SELECT belief.no
FROM key JOIN belief ON belief.tenant = key.tenant AND belief.key = key.no
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = ?3 AND key.last_recorded > ?4
  AND ((belief.recorded_from > ?4 AND belief.recorded_from <= ?5)
       OR (belief.recorded_to > ?4 AND belief.recorded_to <= ?5));

-- name: belief_by_no
-- One stretch by its number.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE no = ? AND tenant = ?;

-- name: beliefs_numbered
-- Stretches by their numbers.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT value::bigint FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)));

-- name: belief_insert
-- Believe a stretch; the database refuses one that overlaps another believed now.
INSERT INTO belief (no, tenant, key, member, memory, valid_from, valid_to, recorded_from,
                    recorded_to)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: belief_close
-- Stop believing a stretch: the one update of a belief, once.
UPDATE belief SET recorded_to = ? WHERE no = ? AND tenant = ? AND recorded_to IS NULL;

-- name: last_clean
-- The last clean statement before a place in the order.
SELECT valid_from, place, turn, no
FROM statement
WHERE tenant = ? AND key = ? AND member = ? AND clean = 1
  AND (valid_from, place, turn, no) < (?, ?, ?, ?)
ORDER BY valid_from DESC, place DESC, turn DESC, no DESC LIMIT 1;

-- name: last_of_key
-- The last live statement of a single-valued key with the stretch that begins there, where that is
-- believed for good.
SELECT belief.no, belief.tenant, belief.key, belief.member, belief.memory, belief.valid_from,
       belief.valid_to, belief.recorded_from, belief.recorded_to, last.*
FROM (
    SELECT * FROM statement
    WHERE tenant = ?1 AND key = ?2 AND member = ''
      AND role = 'asserted' AND withdrawn_at = 9223372036854775807
    ORDER BY valid_from DESC, place DESC, turn DESC, no DESC LIMIT 1) AS last
JOIN belief ON belief.tenant = ?1 AND belief.key = last.key AND belief.member = ''
    AND belief.valid_from = last.valid_from AND belief.recorded_to IS NULL
    AND belief.valid_to = 9223372036854775807
WHERE last.clean = 1;

-- name: last_of_keys
-- The same of several keys.
SELECT belief.no, belief.tenant, belief.key, belief.member, belief.memory, belief.valid_from,
       belief.valid_to, belief.recorded_from, belief.recorded_to, last.*
FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)
CROSS JOIN LATERAL (
    SELECT * FROM statement
    WHERE tenant = ?1 AND key = listed.value::bigint AND member = ''
      AND role = 'asserted' AND withdrawn_at = 9223372036854775807
    ORDER BY valid_from DESC, place DESC, turn DESC, no DESC LIMIT 1) AS last
JOIN belief ON belief.tenant = ?1 AND belief.key = last.key AND belief.member = ''
    AND belief.valid_from = last.valid_from AND belief.recorded_to IS NULL
    AND belief.valid_to = 9223372036854775807
WHERE last.clean = 1;

-- name: statements_in_order
-- Live statements of one timeline from a place in the order on.
SELECT * FROM statement
WHERE tenant = ? AND key = ? AND member = ?
  AND role = 'asserted' AND withdrawn_at = 9223372036854775807
  AND (valid_from, place, turn, no) >= (?, ?, ?, ?)
ORDER BY valid_from, place, turn, no;

-- name: highest_place
-- The highest place of a timeline's live statements from one instant.
SELECT place FROM statement
WHERE tenant = ? AND key = ? AND member = ? AND role = 'asserted'
  AND withdrawn_at = 9223372036854775807 AND valid_from = ?
ORDER BY place DESC LIMIT 1;

-- name: cites
-- Whether a live statement of a timeline came from an episode.
SELECT 1 FROM statement
WHERE tenant = ? AND source_episode = ? AND key = ? AND member = ? AND role = 'asserted'
  AND withdrawn_at = 9223372036854775807
LIMIT 1;

-- name: statements_about_all
-- Live statements about a multi-valued attribute as a whole.
SELECT * FROM statement
WHERE tenant = ? AND key = ? AND kind = 'others'
  AND role = 'asserted' AND withdrawn_at = 9223372036854775807;

-- name: statement_by_id
-- One statement by its public id.
SELECT * FROM statement WHERE tenant = ? AND id = ?;

-- name: statements_with_heads
-- Statements by their public ids, each with what is in force of its key.
SELECT key.no, head_from, head_to, head_recorded, head_expires, head_replaced, head_replacer, head,
       statement.*
FROM statement JOIN key ON key.tenant = ?1 AND key.no = statement.key
WHERE statement.tenant = ?1 AND statement.id = ANY (ARRAY(
    SELECT value FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)));

-- name: statement_by_no
-- One statement by its number.
SELECT * FROM statement WHERE no = ? AND tenant = ?;

-- name: statements_numbered
-- Statements by their numbers.
SELECT * FROM statement WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT value::bigint FROM jsonb_array_elements_text(?2::jsonb) AS listed (value)));

-- name: statements_replacing
-- The statements that name a memory as the one they replaced.
SELECT * FROM statement WHERE tenant = ? AND replaces = ? ORDER BY no;

-- name: statements_of_fingerprint
-- What the same request of the same episode entered before.
SELECT * FROM statement WHERE tenant = ? AND fingerprint = ? ORDER BY no;

-- name: statements_of_evidence
-- Confirmations that support a memory without taking part in the replay.
SELECT * FROM statement WHERE tenant = ? AND role = 'evidence' AND bears = ? ORDER BY no;

-- name: statements_held
-- The candidates of one key.
SELECT * FROM statement WHERE tenant = ? AND role = 'held' AND key = ? ORDER BY no;

-- name: statements_expired
-- Statements past their time that still have content.
SELECT * FROM statement
WHERE tenant = ? AND expires_at <= ? AND expires_at < 9223372036854775807
  AND forgotten_at = 9223372036854775807
ORDER BY expires_at;

-- name: statement_insert
-- Enter a statement.
INSERT INTO statement (
    no, tenant, id, key, member, role, kind, token, valid_from, valid_to, stated_end, basis,
    recorded_from, withdrawn_at, forgotten_at, gap, place, turn, bears, bears_from, clean,
    indexed, keep, type, value_kind, value, text, replaces, status, contested,
    source_episode, source, quote, speaker, trust, writer, confidence, importance, metadata,
    retention, expires_at, created_at, last_changed_at, confirmed_at, evidence_count,
    retrieved_count, schema_version, fields, flagged, fingerprint, outcome, ended, reason)
VALUES (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: statement_amend
-- Change what of a statement may change in place.
UPDATE statement SET status = ?, contested = ?, confidence = ?, importance = ?, metadata = ?,
    retention = ?, expires_at = ?, last_changed_at = ?, confirmed_at = ?, evidence_count = ?,
    fields = ?, replaces = ?, role = ?, reason = ?
WHERE no = ? AND tenant = ?;

-- name: statement_retrieved
-- Count how often a memory was given to a reader.
UPDATE statement SET retrieved_count = retrieved_count + ?::bigint WHERE no = ? AND tenant = ?;

-- name: statement_refold
-- Note what the replay derived for a statement.
UPDATE statement SET clean = ?, indexed = ? WHERE no = ? AND tenant = ?;

-- name: statement_withdraw
-- Take a statement out of the replay.
UPDATE statement SET withdrawn_at = ?, status = ?, clean = 0 WHERE no = ? AND tenant = ?;

-- name: statement_forget
-- Leave a gap: dates and place stay, what was said goes.
UPDATE statement SET forgotten_at = ?, gap = ?, withdrawn_at = ?, status = 'forgotten',
    value_kind = NULL, value = NULL, text = NULL, source = NULL, quote = NULL, speaker = NULL,
    writer = NULL, metadata = '{}', fields = '{}', reason = NULL, source_episode = NULL,
    indexed = 0, contested = 0
WHERE no = ? AND tenant = ?;

-- name: statement_blank
-- Take the words off a retraction whose memory was forgotten.
UPDATE statement SET source = NULL, quote = NULL, speaker = NULL WHERE no = ? AND tenant = ?;

-- name: statement_delete
-- Drop a candidate that has been decided.
DELETE FROM statement WHERE no = ? AND tenant = ?;

-- name: numbers_take
-- A block of row numbers that nobody else is given.
SELECT nextval('number');

-- name: lock_shared
-- Have all who want the whole of something wait until this transaction ends.
SELECT pg_advisory_xact_lock_shared(?::bigint);

-- name: lock_whole
-- Have something for this transaction alone.
SELECT pg_advisory_xact_lock(?::bigint);

-- name: lock_shared_now
-- The same as lock_shared, where it can be had at once.
SELECT pg_try_advisory_xact_lock_shared(?::bigint);

-- name: lock_whole_now
-- The same as lock_whole, where it can be had at once.
SELECT pg_try_advisory_xact_lock(?::bigint);

-- name: any_alias
-- Whether a tenant has any alias.
SELECT count(*) FROM (SELECT 1 FROM alias WHERE tenant = ? LIMIT 1) AS found;

-- name: job_insert
-- Enqueue work.
INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, person)
VALUES (?, ?, ?, ?, 'ready', ?, 0, ?);

-- name: job_finished
-- Take finished work of a lane out of the queue.
DELETE FROM job WHERE kind = ? AND tenant = ? AND lane = ?;

-- name: jobs_of_kind
-- Whose work of a kind waits, up to which number. Sweeps.
SELECT tenant, max(no) FROM job WHERE kind = ? GROUP BY tenant ORDER BY tenant;

-- name: jobs_done
-- Take finished work of a kind out of the queue, up to a number.
DELETE FROM job WHERE kind = ?1 AND tenant = ?2 AND no <= ?3;

-- name: episode_by_id
-- One episode by its id.
SELECT * FROM episode WHERE tenant = ? AND id = ?;

-- name: episode_by_external
-- One episode by the caller's own id.
SELECT * FROM episode WHERE tenant = ? AND store = ? AND person = ? AND external_id = ?;

-- name: episodes_expired
-- Episodes past their time that are not stubs yet.
SELECT * FROM episode WHERE tenant = ? AND expires_at <= ? AND stub = 0;

-- name: episode_insert
-- Keep an episode.
INSERT INTO episode (
    no, tenant, id, store, person, role, kind, content, occurred_at, recorded_at, speaker,
    thread, external_id, metadata, expires_at, flagged, stub)
VALUES (
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: episode_stub
-- Leave id, time and kind of an episode.
UPDATE episode SET content = NULL, speaker = NULL, metadata = '{}', stub = 1
WHERE no = ? AND tenant = ?;

-- name: audit_insert
-- Enter what happened.
INSERT INTO audit (no, tenant, id, at, action, outcome, target, digest, said)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: audit_content_insert
-- Keep the erasable part of what happened.
INSERT INTO audit_content (audit, tenant, store, person, key, salt, content)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: activity_insert
-- Note for who goes through all tenants that one of them wrote.
INSERT INTO activity (tenant, at) VALUES (?, ?);

-- name: tenant_name_wrote
-- Keep when a tenant wrote last, before what is noted of it goes.
UPDATE tenant_name SET wrote_at = greatest(
    wrote_at, (SELECT coalesce(max(at), 0) FROM activity WHERE tenant = ?1))
WHERE tenant = ?1;

-- name: activity_seen
-- What is noted of a tenant so far.
SELECT no FROM activity WHERE tenant = ? ORDER BY no LIMIT ?;

-- name: activity_delete
-- Let go what is noted of a tenant, once it has been seen to.
DELETE FROM activity WHERE tenant = ?1 AND no IN (
    SELECT value::bigint FROM jsonb_array_elements_text(?2::jsonb) AS listed (value));

-- name: passage_made_insert
-- Note for who goes through all tenants that one of them has passages up to here.
INSERT INTO passage_made (no, tenant)
SELECT nextval(pg_get_serial_sequence('passage', 'no')), tenant FROM tenant_name WHERE tenant = ?;

-- name: audit_forget
-- Empty the erasable parts that concern a memory.
DELETE FROM audit_content
WHERE tenant = ?1 AND audit IN (SELECT no FROM audit WHERE tenant = ?1 AND target = ?2);

-- name: audit_untell
-- Empty what else of a key tells of a memory: corrections of it, and what entered nothing.
DELETE FROM audit_content
WHERE tenant = ?1 AND key = ?2
    AND ((strpos(content, ?3) > 0 AND strpos(content, ',"before":') > 0)
        OR (strpos(content, ?4) > 0
            AND EXISTS (
                SELECT 1 FROM audit
                WHERE tenant = ?1 AND no = audit_content.audit AND target IS NULL
            )));

-- name: audit_unsealed
-- Entries that no seal covers yet, the oldest first.
SELECT no, id, digest FROM audit WHERE tenant = ? AND seal IS NULL ORDER BY no LIMIT ?;

-- name: audit_seal_set
-- Put an entry under a seal.
UPDATE audit SET seal = ? WHERE no = ? AND tenant = ?;

-- name: audit_sealed
-- All entries under seals with their content where it is still there, by seal.
SELECT audit.seal, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, audit_content.salt, audit_content.store, audit_content.person,
       audit_content.content
FROM audit LEFT JOIN audit_content
    ON audit_content.tenant = audit.tenant AND audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.seal IS NOT NULL
ORDER BY audit.seal, audit.id;

-- name: audit_open
-- All entries that no seal covers yet, with their content where it is still there.
SELECT audit.seal, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, audit_content.salt, audit_content.store, audit_content.person,
       audit_content.content
FROM audit LEFT JOIN audit_content
    ON audit_content.tenant = audit.tenant AND audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.seal IS NULL
ORDER BY audit.no;

-- name: audit_told
-- The entries about one target with all that is stored of them.
SELECT audit.seal, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, audit_content.salt, audit_content.store, audit_content.person,
       audit_content.content
FROM audit LEFT JOIN audit_content
    ON audit_content.tenant = audit.tenant AND audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.target = ?;

-- name: audit_prune_content
-- The content of entries up to a seal.
DELETE FROM audit_content WHERE tenant = ?1 AND audit = ANY (ARRAY(
    SELECT no FROM audit WHERE tenant = ?1 AND seal <= ?2));

-- name: audit_prune
-- Entries up to a seal; the seals stay, for the chain goes on from them.
DELETE FROM audit WHERE tenant = ? AND seal <= ?;

-- name: seal_insert
-- Close a seal.
INSERT INTO seal (tenant, n, entries, at, hash) VALUES (?, ?, ?, ?, ?);

-- name: seals
-- All seals of a tenant in order.
SELECT n, entries, at, hash FROM seal WHERE tenant = ? ORDER BY n;

-- name: unsealed_tenants
-- Whose audit trail may have entries without a seal. Sweeps.
SELECT DISTINCT tenant FROM activity ORDER BY tenant;

-- name: answer_find
-- The answer given to a request before.
SELECT tenant, caller, endpoint, name, person, request, answer, at FROM idempotency
WHERE tenant = ? AND caller = ? AND endpoint = ? AND name = ?;

-- name: answer_insert
-- Keep the answer given to a request, in place of one that is too old.
INSERT INTO idempotency (tenant, caller, endpoint, name, person, request, answer, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, caller, endpoint, name) DO UPDATE SET
    person = excluded.person, request = excluded.request, answer = excluded.answer,
    at = excluded.at;

-- name: answer_prune
-- Drop answers older than a day.
DELETE FROM idempotency WHERE tenant = ? AND at < ?;

-- name: tenant_find
-- The salt of a tenant.
SELECT salt FROM tenant WHERE tenant = ?;

-- name: tenant_insert
-- Make a tenant known.
INSERT INTO tenant (tenant, salt, created_at) VALUES (?, ?, ?)
ON CONFLICT (tenant) DO NOTHING;

-- name: tenant_name_insert
-- Make the name of a tenant known to who goes through all of them.
INSERT INTO tenant_name (tenant, wrote_at) VALUES (?, 0)
ON CONFLICT (tenant) DO NOTHING;

-- name: person_find
-- The entity that a person is.
SELECT subject FROM person WHERE tenant = ? AND person = ?;

-- name: person_link
-- Note the entity that a person is.
INSERT INTO person (tenant, person, subject) VALUES (?, ?, ?)
ON CONFLICT (tenant, person) DO UPDATE SET subject = excluded.subject;

-- name: person_unlink
-- Forget which entity a person is.
DELETE FROM person WHERE tenant = ? AND person = ?;

-- name: erased_find
-- When a person was erased.
SELECT at FROM erased WHERE tenant = ? AND person = ?;

-- name: erased_insert
-- Note that a person was erased.
INSERT INTO erased (tenant, person, at, counts, state) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tenant, person) DO UPDATE SET
    at = excluded.at, counts = excluded.counts, state = excluded.state;

-- name: erased_purged
-- Note that what was removed is gone from the tables.
UPDATE erased SET state = 'purged' WHERE tenant = ? AND state = 'removed';

-- name: keys_of_tenant
-- All keys of a tenant, for checking.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? ORDER BY no;

-- name: statements_of_key
-- Every statement of a key, for checking.
SELECT * FROM statement WHERE tenant = ? AND key = ? ORDER BY no;

-- name: erase_outdate
-- Tell readers of the scopes that passages of a person go.
INSERT INTO index_change AS change (tenant, scope, generation)
SELECT DISTINCT tenant, scope, 1::bigint FROM passage
WHERE tenant = ?1
  AND (kind = 0 AND source = ANY (ARRAY(
           SELECT no FROM statement WHERE tenant = ?1 AND key = ANY (ARRAY(
               SELECT no FROM key WHERE tenant = ?1 AND person = ?2
               UNION ALL SELECT value::bigint
               FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)))))
       OR kind = 1 AND source = ANY (ARRAY(
           SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))
ORDER BY scope
ON CONFLICT (tenant, scope) DO UPDATE SET generation = change.generation + 1;

-- name: erase_vector
-- The vectors of what a person's memories and episodes say.
DELETE FROM vector_row WHERE tenant = ?1 AND passage = ANY (ARRAY(
    SELECT no FROM passage
    WHERE tenant = ?1
      AND (kind = 0 AND source = ANY (ARRAY(
               SELECT no FROM statement WHERE tenant = ?1 AND key = ANY (ARRAY(
                   SELECT no FROM key WHERE tenant = ?1 AND person = ?2
                   UNION ALL SELECT value::bigint
                   FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)))))
           OR kind = 1 AND source = ANY (ARRAY(
               SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))));

-- name: erase_passage
-- The words of a person's memories and episodes.
DELETE FROM passage
WHERE tenant = ?1
  AND (kind = 0 AND source = ANY (ARRAY(
           SELECT no FROM statement WHERE tenant = ?1 AND key = ANY (ARRAY(
               SELECT no FROM key WHERE tenant = ?1 AND person = ?2
               UNION ALL SELECT value::bigint
               FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)))))
       OR kind = 1 AND source = ANY (ARRAY(
           SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)));

-- name: erase_belief
-- The beliefs of a person's keys.
DELETE FROM belief WHERE tenant = ?1 AND key = ANY (ARRAY(
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value::bigint FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)));

-- name: erase_audit_content
-- The erasable parts of the audit that concern a person.
DELETE FROM audit_content
WHERE tenant = ?1 AND (person = ?2 OR key = ANY (ARRAY(
    SELECT value::bigint FROM jsonb_array_elements_text(?3::jsonb) AS listed (value))));

-- name: erase_statement
-- The statements of a person's keys.
DELETE FROM statement WHERE tenant = ?1 AND key = ANY (ARRAY(
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value::bigint FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)));

-- name: erase_key
-- The keys of a person.
DELETE FROM key WHERE tenant = ?1 AND no = ANY (ARRAY(
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value::bigint FROM jsonb_array_elements_text(?3::jsonb) AS listed (value)));

-- name: erase_thread_item
-- The places of a person's episodes, in their threads and in shared ones.
DELETE FROM thread_item
WHERE tenant = ?1 AND ?3::text IS NOT NULL AND episode = ANY (ARRAY(
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2));

-- name: erase_thread_state
-- The states of a person's threads.
DELETE FROM thread_state WHERE tenant = ?1 AND ?3::text IS NOT NULL AND thread = ANY (ARRAY(
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2));

-- name: erase_thread
-- The threads of a person.
DELETE FROM thread WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_episode
-- The episodes of a person.
DELETE FROM episode WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_idempotency
-- The kept answers that concern a person.
DELETE FROM idempotency WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_alias
-- The aliases of a person.
DELETE FROM alias WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_job
-- The queued work that concerns a person.
DELETE FROM job WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_person
-- What is known of the person as such.
DELETE FROM person WHERE tenant = ?1 AND person = ?2 AND ?3::text IS NOT NULL;

-- name: erase_answers_about
-- The kept answers about the entity that a person is.
DELETE FROM idempotency WHERE tenant = ? AND answer::json ->> 'about' = ?;

-- name: erase_resource
-- The settings of a person.
DELETE FROM resource
WHERE tenant = ?1 AND person = ?2 AND person <> '' AND ?3::text IS NOT NULL;

-- name: end_vector
-- All rows of a tenant that is deleted.
DELETE FROM vector_row WHERE tenant = ?;

-- name: end_passage
-- All rows of a tenant that is deleted.
DELETE FROM passage WHERE tenant = ?;

-- name: end_belief
-- All rows of a tenant that is deleted.
DELETE FROM belief WHERE tenant = ?;

-- name: end_audit_content
-- All rows of a tenant that is deleted.
DELETE FROM audit_content WHERE tenant = ?;

-- name: end_statement
-- All rows of a tenant that is deleted.
DELETE FROM statement WHERE tenant = ?;

-- name: end_key
-- All rows of a tenant that is deleted.
DELETE FROM key WHERE tenant = ?;

-- name: end_thread_item
-- All rows of a tenant that is deleted.
DELETE FROM thread_item WHERE tenant = ?;

-- name: end_thread_state
-- All rows of a tenant that is deleted.
DELETE FROM thread_state WHERE tenant = ?;

-- name: end_thread
-- All rows of a tenant that is deleted.
DELETE FROM thread WHERE tenant = ?;

-- name: end_episode
-- All rows of a tenant that is deleted.
DELETE FROM episode WHERE tenant = ?;

-- name: end_idempotency
-- All rows of a tenant that is deleted.
DELETE FROM idempotency WHERE tenant = ?;

-- name: end_job
-- All rows of a tenant that is deleted.
DELETE FROM job WHERE tenant = ?;

-- name: end_alias
-- All rows of a tenant that is deleted.
DELETE FROM alias WHERE tenant = ?;

-- name: end_person
-- All rows of a tenant that is deleted.
DELETE FROM person WHERE tenant = ?;

-- name: end_resource
-- All rows of a tenant that is deleted.
DELETE FROM resource WHERE tenant = ?;

-- name: end_audit
-- All rows of a tenant that is deleted.
DELETE FROM audit WHERE tenant = ?;

-- name: end_seal
-- All rows of a tenant that is deleted.
DELETE FROM seal WHERE tenant = ?;

-- name: end_index_change
-- All rows of a tenant that is deleted.
DELETE FROM index_change WHERE tenant = ?;

-- name: end_erased
-- All rows of a tenant that is deleted.
DELETE FROM erased WHERE tenant = ?;

-- name: end_tenant
-- All rows of a tenant that is deleted.
DELETE FROM tenant WHERE tenant = ?;

-- name: end_usage
-- All rows of a tenant that is deleted.
DELETE FROM usage WHERE tenant = ?;

-- name: end_tenant_name
-- The name of a tenant that is deleted.
DELETE FROM tenant_name WHERE tenant = ?;

-- name: end_activity
-- What was noted of a tenant that is deleted.
DELETE FROM activity WHERE tenant = ?;

-- name: end_passage_made
-- What was noted of the passages of a tenant that is deleted.
DELETE FROM passage_made WHERE tenant = ?;

-- name: store_outdate
-- Tell readers of the scopes of a store that passages go.
INSERT INTO index_change AS change (tenant, scope, generation)
SELECT DISTINCT tenant, scope, 1::bigint FROM passage
WHERE tenant = ?1
  AND (kind = 0 AND source = ANY (ARRAY(
           SELECT no FROM statement WHERE tenant = ?1 AND key = ANY (ARRAY(
               SELECT no FROM key WHERE tenant = ?1 AND store = ?2))))
       OR kind = 1 AND source = ANY (ARRAY(
           SELECT no FROM episode WHERE tenant = ?1 AND store = ?2)))
ORDER BY scope
ON CONFLICT (tenant, scope) DO UPDATE SET generation = change.generation + 1;

-- name: store_vector
-- The vectors of a store that is deleted.
DELETE FROM vector_row WHERE tenant = ?1 AND passage IN (
    SELECT passage.no FROM key
    JOIN statement ON statement.tenant = ?1 AND statement.key = key.no
    JOIN passage ON passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    WHERE key.tenant = ?1 AND key.store = ?2
    UNION ALL
    SELECT passage.no FROM episode
    JOIN passage ON passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1
    WHERE episode.tenant = ?1 AND episode.store = ?2);

-- name: store_passage
-- The words of a store that is deleted.
DELETE FROM passage WHERE tenant = ?1 AND no IN (
    SELECT passage.no FROM key
    JOIN statement ON statement.tenant = ?1 AND statement.key = key.no
    JOIN passage ON passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    WHERE key.tenant = ?1 AND key.store = ?2
    UNION ALL
    SELECT passage.no FROM episode
    JOIN passage ON passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1
    WHERE episode.tenant = ?1 AND episode.store = ?2);

-- name: store_belief
-- The beliefs of a store that is deleted.
DELETE FROM belief WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND store = ?2);

-- name: store_statement
-- The statements of a store that is deleted.
DELETE FROM statement WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND store = ?2);

-- name: store_audit_content
-- What the audit trail says of the content of a store that is deleted.
DELETE FROM audit_content WHERE tenant = ?1 AND store = ?2;

-- name: store_key
-- The keys of a store that is deleted.
DELETE FROM key WHERE tenant = ?1 AND store = ?2;

-- name: store_thread_item
-- The places of what was said in a store that is deleted.
DELETE FROM thread_item WHERE tenant = ?1 AND thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND store = ?2);

-- name: store_thread_state
-- The states of the threads of a store that is deleted.
DELETE FROM thread_state WHERE tenant = ?1 AND thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND store = ?2);

-- name: store_thread
-- The threads of a store that is deleted.
DELETE FROM thread WHERE tenant = ?1 AND store = ?2;

-- name: store_episode
-- The episodes of a store that is deleted.
DELETE FROM episode WHERE tenant = ?1 AND store = ?2;

-- name: store_alias
-- The aliases of a store that is deleted.
DELETE FROM alias WHERE tenant = ?1 AND store = ?2;

-- name: store_job
-- The queued work of a store that is deleted.
DELETE FROM job WHERE tenant = ?1 AND lane = ?2;
