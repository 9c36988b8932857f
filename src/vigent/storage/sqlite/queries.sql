-- Every statement the adapter runs, by name. Parameters are positional.

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

-- name: keys_named
-- Keys of a store by a list of person, subject, attribute and type.
SELECT key.no, key.tenant, key.store, key.person, key.subject, key.attribute, key.type, key.name,
       key.last_recorded
FROM json_each(?3) CROSS JOIN key
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = json_each.value ->> 0
  AND key.subject = json_each.value ->> 1 AND key.attribute = json_each.value ->> 2
  AND key.type = json_each.value ->> 3;

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
-- The keys of one subject in a store, whoever's they are; the plus keeps the index's order.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key
WHERE tenant = ? AND subject = ? AND +store = ?
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
-- Move the recorded clock of a key on.
UPDATE key SET last_recorded = ? WHERE no = ? AND tenant = ?;

-- name: key_recorded_head
-- Move the recorded clock of a key on, together with what is in force of it.
UPDATE key SET last_recorded = ?, head_from = ?, head_to = ?, head_recorded = ?,
               head_expires = ?, head_replaced = ?, head_replacer = ?, head = ?
WHERE no = ? AND tenant = ?;

-- name: key_head
-- Keep what is in force of a key for the quick read.
UPDATE key SET head_from = ?, head_to = ?, head_recorded = ?, head_expires = ?,
               head_replaced = ?, head_replacer = ?, head = ?
WHERE no = ? AND tenant = ?;

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

-- name: walk_by_valid
-- The stretches of one timeline that begin at or before an instant, latest first.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ? AND member = ? AND valid_from <= ?
ORDER BY valid_from DESC, recorded_from DESC;

-- name: walk_by_recorded
-- The stretches of one timeline recorded at or before an instant, latest first.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief
WHERE tenant = ? AND key = ? AND member = ? AND recorded_from <= ?
ORDER BY recorded_from DESC;

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
-- Believed stretches of a person's keys with an end in an interval of valid time. CROSS JOIN
-- keeps the planner from beginning with all beliefs of the tenant.
SELECT belief.no
FROM key CROSS JOIN belief ON belief.tenant = key.tenant AND belief.key = key.no
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = ?3 AND belief.recorded_to IS NULL
  AND ((belief.valid_from > ?4 AND belief.valid_from <= ?5)
       OR (belief.valid_to > ?4 AND belief.valid_to <= ?5));

-- name: changed_recorded
-- Stretches of a person's keys with an end in an interval of recorded time; see changed_valid.
SELECT belief.no
FROM key CROSS JOIN belief ON belief.tenant = key.tenant AND belief.key = key.no
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = ?3 AND key.last_recorded > ?4
  AND ((belief.recorded_from > ?4 AND belief.recorded_from <= ?5)
       OR (belief.recorded_to > ?4 AND belief.recorded_to <= ?5));

-- name: of_type
-- What is in force of one owner and of one of the types that keys note, ?4 being the note of it.
SELECT belief.memory, belief.no, belief.valid_from, belief.valid_to, belief.recorded_from,
       statement.recorded_from, statement.fields
FROM key CROSS JOIN belief CROSS JOIN statement
WHERE key.tenant = ?1 AND key.store = ?2 AND key.person = ?3
  AND key.bears <> 0 AND key.bears & ?4 <> 0
  AND belief.tenant = ?1 AND belief.key = key.no AND belief.recorded_to IS NULL
  AND belief.valid_from <= max(?6, key.last_recorded)
  AND belief.valid_to > max(?6, key.last_recorded)
  AND statement.no = belief.memory AND +statement.tenant = ?1 AND statement.type = ?5
  AND statement.forgotten_at = 9223372036854775807
  AND statement.expires_at > max(?6, key.last_recorded);

-- name: belief_by_no
-- One stretch by its number.
SELECT no, tenant, key, member, memory, valid_from, valid_to, recorded_from, recorded_to
FROM belief WHERE no = ? AND tenant = ?;

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
       belief.valid_to, belief.recorded_from, belief.recorded_to, statement.*
FROM statement CROSS JOIN belief
WHERE statement.no = (
    SELECT no FROM statement
    WHERE tenant = ?1 AND key = ?2 AND member = x''
      AND role = 'asserted' AND withdrawn_at = 9223372036854775807
    ORDER BY valid_from DESC, place DESC, turn DESC, no DESC LIMIT 1)
  AND +statement.clean = 1
  AND belief.tenant = ?1 AND belief.key = ?2 AND belief.member = x''
  AND belief.valid_from = statement.valid_from AND belief.recorded_to IS NULL
  AND belief.valid_to = 9223372036854775807;

-- name: last_of_keys
-- The same of several keys.
SELECT belief.no, belief.tenant, belief.key, belief.member, belief.memory, belief.valid_from,
       belief.valid_to, belief.recorded_from, belief.recorded_to, statement.*
FROM json_each(?2) CROSS JOIN statement CROSS JOIN belief
WHERE statement.no = (
    SELECT no FROM statement
    WHERE tenant = ?1 AND key = json_each.value AND member = x''
      AND role = 'asserted' AND withdrawn_at = 9223372036854775807
    ORDER BY valid_from DESC, place DESC, turn DESC, no DESC LIMIT 1)
  AND +statement.clean = 1
  AND belief.tenant = ?1 AND belief.key = json_each.value AND belief.member = x''
  AND belief.valid_from = statement.valid_from AND belief.recorded_to IS NULL
  AND belief.valid_to = 9223372036854775807;

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
FROM json_each(?2) CROSS JOIN statement CROSS JOIN key
WHERE statement.tenant = ?1 AND statement.id = json_each.value
  AND key.no = statement.key AND +key.tenant = ?1;

-- name: statement_by_no
-- One statement by its number.
SELECT * FROM statement WHERE no = ? AND tenant = ?;

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
INSERT INTO statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: statement_amend
-- Change what of a statement may change in place.
UPDATE statement SET status = ?, contested = ?, confidence = ?, importance = ?, metadata = ?,
    retention = ?, expires_at = ?, last_changed_at = ?, confirmed_at = ?, evidence_count = ?,
    fields = ?, replaces = ?, role = ?, reason = ?
WHERE no = ? AND tenant = ?;

-- name: statement_retrieved
-- Count how often a memory was given to a reader.
UPDATE statement SET retrieved_count = retrieved_count + ? WHERE no = ? AND tenant = ?;

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

-- name: last_numbers
-- The highest row numbers in use, and whether there is any alias.
SELECT (SELECT coalesce(max(no), 0) FROM key), (SELECT coalesce(max(no), 0) FROM statement),
       (SELECT coalesce(max(no), 0) FROM belief), (SELECT coalesce(max(no), 0) FROM audit),
       (SELECT max(rowid) FROM alias);

-- name: passage_insert
-- Make a stretch of a memory or of an episode findable.
INSERT INTO passage (tenant, scope, kind, type, source, home, start, stop, at, about, words)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: passage_outdate
-- Tell readers of a scope that passages of a memory or of an episode go.
INSERT INTO index_change (tenant, scope, generation)
SELECT tenant, scope, 1 FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3
ON CONFLICT (tenant, scope) DO UPDATE SET generation = generation + 1;

-- name: passage_delete
-- Take a memory or an episode out of the index.
DELETE FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3;

-- name: vector_delete
-- Drop the vectors of a memory or of an episode.
DELETE FROM vector WHERE tenant = ?1 AND passage IN (
    SELECT no FROM passage WHERE tenant = ?1 AND source = ?2 AND kind = ?3);

-- name: vector_put
-- Keep the vector of a passage that is still there and that nobody else has done.
INSERT OR IGNORE INTO vector (tenant, scope, model, passage, data)
SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (
    SELECT 1 FROM passage WHERE no = ?4 AND tenant = ?1 AND scope = ?2);

-- name: vectors_outdate
-- Tell readers of the scopes whose vectors vectors_drop takes; both choose in one order.
INSERT INTO index_change (tenant, scope, generation)
SELECT DISTINCT ?1, scope, 1 FROM (
    SELECT scope FROM vector WHERE tenant = ?1 AND model <> ?2
    ORDER BY scope, model, no LIMIT ?3) WHERE true
ON CONFLICT (tenant, scope) DO UPDATE SET generation = generation + 1;

-- name: vectors_drop
-- Drop some of a tenant's vectors that were made by other models than one.
DELETE FROM vector WHERE no IN (
    SELECT no FROM vector WHERE tenant = ?1 AND model <> ?2
    ORDER BY scope, model, no LIMIT ?3);

-- name: vectors_by_others
-- How many vectors of a tenant a model did not make.
SELECT count(*) FROM vector WHERE tenant = ? AND model <> ?;

-- name: embedder_restart
-- Let other models begin anew, as vectors of theirs go; those that stay are passed over.
UPDATE embedder SET done = 0 WHERE no <> ?;

-- name: index_generation
-- How often passages or vectors of a scope were removed.
SELECT generation FROM index_change WHERE tenant = ? AND scope = ?;

-- name: passages_of_scope
-- The passages of a scope that came after one.
SELECT * FROM passage WHERE tenant = ? AND scope = ? AND no > ? ORDER BY no;

-- name: passages_of_source
-- The passages of a memory or of an episode.
SELECT * FROM passage WHERE tenant = ? AND source = ? AND kind = ? ORDER BY no;

-- name: passage_before
-- The last passage of the episode that goes before in the same thread and scope.
SELECT passage.* FROM thread_item AS here
CROSS JOIN thread_item AS prior
ON prior.tenant = here.tenant AND prior.thread = here.thread AND prior.position < here.position
CROSS JOIN passage
ON passage.tenant = prior.tenant AND passage.source = prior.episode AND passage.kind = 1
WHERE here.tenant = ?1 AND here.episode = ?2 AND passage.scope = ?3
ORDER BY prior.position DESC, passage.no DESC LIMIT 1;

-- name: passages_unembedded
-- Passages of every tenant, from a number on, that a model has not seen.
SELECT * FROM passage
WHERE no > ?2 AND NOT EXISTS (
    SELECT 1 FROM vector
    WHERE vector.tenant = passage.tenant AND vector.passage = passage.no AND vector.model = ?1)
ORDER BY no LIMIT ?3;

-- name: last_passage
-- The highest number of a passage.
SELECT coalesce(max(no), 0) FROM passage;

-- name: last_change
-- The number of what was done last, whoever did it: the newest entry of the audit trail.
SELECT coalesce(max(no), 0) FROM audit;

-- name: passages_counted
-- How many passages a tenant has, and how many of them come after one.
SELECT count(*), count(CASE WHEN no > ?2 THEN 1 END) FROM passage WHERE tenant = ?1;

-- name: vectors_of_scope
-- The vectors of a scope by one model that came after one.
SELECT * FROM vector WHERE tenant = ? AND scope = ? AND model = ? AND no > ? ORDER BY no;

-- name: embedder_find
-- What is known of a model.
SELECT * FROM embedder WHERE name = ? AND revision = ? AND dimension = ?;

-- name: embedder_insert
-- Give a model a number.
INSERT OR IGNORE INTO embedder (name, revision, dimension, done, lease_until, problem)
VALUES (?, ?, ?, 0, 0, NULL);

-- name: embedder_put
-- Note how far a model has come, and who is at it until when.
UPDATE embedder SET done = ?, lease_until = ?, problem = ? WHERE no = ?;

-- name: believed_among
-- Those of some memories that are believed now and are not over at an instant.
SELECT value FROM json_each(?2) WHERE EXISTS (
    SELECT 1 FROM belief
    WHERE tenant = ?1 AND memory = json_each.value AND recorded_to IS NULL AND valid_to > ?3);

-- name: episodes_by_number
-- Episodes by their row numbers.
SELECT episode.* FROM json_each(?2) CROSS JOIN episode
ON episode.no = json_each.value AND episode.tenant = ?1 ORDER BY episode.no;

-- name: said
-- Episodes by their row numbers, each with its place in a thread and until when that is kept.
SELECT episode.*, thread_item.thread, position, thread_item.episode, thread_item.agent, sealed,
       thread.expires_at
FROM json_each(?2) CROSS JOIN episode ON episode.no = json_each.value AND episode.tenant = ?1
LEFT JOIN thread_item ON thread_item.tenant = ?1 AND thread_item.episode = episode.no
LEFT JOIN thread ON thread.no = thread_item.thread;

-- name: episodes_from
-- The episodes of a tenant from a row number on.
SELECT * FROM episode WHERE no > ?2 AND +tenant = ?1 ORDER BY no LIMIT ?3;

-- name: statements_from
-- The statements of a tenant from a number on.
SELECT * FROM statement WHERE no > ?2 AND +tenant = ?1 ORDER BY no LIMIT ?3;

-- name: keys_counted
-- How many keys a person has in a store, at most so many.
SELECT count(*) FROM (
    SELECT 1 FROM key WHERE tenant = ?1 AND store = ?2 AND person = ?3 LIMIT ?4);

-- name: statements_recorded
-- The statements of one or two persons in a store in order of recording, from a place on.
SELECT statement.*
FROM statement INDEXED BY statement_recorded CROSS JOIN key ON key.no = statement.key
WHERE statement.tenant = ?1 AND (statement.recorded_from, statement.id) >= (?2, ?3)
  AND key.tenant = ?1 AND key.store = ?4 AND key.person IN (?5, ?6)
  AND (?7 IS NULL OR key.attribute = ?7)
ORDER BY statement.recorded_from, statement.id LIMIT ?8;

-- name: statements_waiting
-- What waits for a decision in some stores, of one or two persons or of all, behind a place.
SELECT statement.*
FROM statement INDEXED BY statement_waiting CROSS JOIN key ON key.no = statement.key
WHERE statement.tenant = ?1 AND (statement.recorded_from, statement.id) > (?2, ?3)
  AND statement.role = 'held' AND statement.status IN ('pending_review', 'buffered')
  AND key.tenant = ?1 AND key.store IN (SELECT value FROM json_each(?4))
  AND (?5 IS NULL OR key.person IN (?5, ?6)) AND (?7 IS NULL OR statement.reason = ?7)
  AND statement.expires_at > ?8
ORDER BY statement.recorded_from, statement.id LIMIT ?9;

-- name: passages_amiss
-- Memories of a tenant that the index lacks, or has and should not.
SELECT 0, no, indexed FROM statement
WHERE tenant = ?1 AND indexed <> EXISTS (
    SELECT 1 FROM passage WHERE tenant = ?1 AND source = statement.no AND kind = 0);

-- name: items_amiss
-- Episodes of a tenant that the index lacks, or has and should not: stubs, a model's own reasoning
-- and what is sealed.
SELECT 1, no, said FROM (
    SELECT no, stub = 0 AND content IS NOT NULL AND kind <> 'reasoning' AND NOT EXISTS (
        SELECT 1 FROM thread_item
        WHERE tenant = ?1 AND thread_item.episode = episode.no AND sealed = 1) AS said
    FROM episode WHERE tenant = ?1) AS item
WHERE said <> EXISTS (
    SELECT 1 FROM passage WHERE tenant = ?1 AND source = item.no AND passage.kind = 1);

-- name: passages_of_nothing
-- Memories and episodes of a tenant that are gone and yet have passages.
SELECT DISTINCT kind, source, 0 FROM passage
WHERE tenant = ?1 AND NOT EXISTS (
    SELECT 1 FROM statement WHERE passage.kind = 0 AND statement.no = passage.source AND statement.tenant = ?1
    UNION ALL
    SELECT 1 FROM episode WHERE passage.kind = 1 AND episode.no = passage.source AND episode.tenant = ?1);

-- name: job_find
-- Whether there is work of a kind in a lane of a tenant.
SELECT no FROM job WHERE kind = ? AND tenant = ? AND lane = ? LIMIT 1;

-- name: job_finished
-- Take finished work of a lane out of the queue.
DELETE FROM job WHERE kind = ? AND tenant = ? AND lane = ?;

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
INSERT INTO episode VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: episode_stub
-- Leave id, time and kind of an episode.
UPDATE episode SET content = NULL, speaker = NULL, metadata = '{}', stub = 1
WHERE no = ? AND tenant = ?;

-- name: last_episode
-- The highest episode number in use.
SELECT coalesce(max(no), 0) FROM episode;

-- name: thread_find
-- One thread of a person, by its id.
SELECT * FROM thread WHERE tenant = ? AND store = ? AND person = ? AND id = ?;

-- name: thread_anywhere
-- The threads of one id, whoever's and in whichever store.
SELECT * FROM thread WHERE tenant = ? AND id = ?;

-- name: threads_of_person
-- All threads of a person in a store.
SELECT * FROM thread WHERE tenant = ? AND store = ? AND person = ?;

-- name: threads_page
-- Threads of a person in a store from an id on, in order of their ids.
SELECT * FROM thread WHERE tenant = ? AND store = ? AND person = ? AND id > ? ORDER BY id LIMIT ?;

-- name: threads_expired
-- Threads past their time.
SELECT * FROM thread WHERE tenant = ? AND expires_at <= ?;

-- name: threads_quiet
-- Threads of a store by when they were last spoken in, from one on up to an instant.
SELECT * FROM thread
WHERE tenant = ? AND store = ?
AND expires_at - ttl_days * 86400000000 >= ? AND expires_at - ttl_days * 86400000000 <= ?
AND (expires_at - ttl_days * 86400000000 > ? OR no > ?)
ORDER BY expires_at - ttl_days * 86400000000, no LIMIT ?;

-- name: thread_by_no
-- One thread by its number.
SELECT * FROM thread WHERE no = ? AND tenant = ?;

-- name: thread_put
-- Keep a thread, or what of it may change.
INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (no) DO UPDATE
SET last_position = excluded.last_position, expires_at = excluded.expires_at;

-- name: thread_delete
-- Let a thread go.
DELETE FROM thread WHERE no = ? AND tenant = ?;

-- name: last_thread
-- The highest thread number in use.
SELECT coalesce(max(no), 0) FROM thread;

-- name: items_after
-- What follows a position of a thread: a person's and the shared; all of it for a limit of -1.
SELECT thread_item.thread, thread_item.position, thread_item.episode, thread_item.agent,
       thread_item.sealed, episode.*
FROM thread_item CROSS JOIN episode ON episode.no = thread_item.episode
WHERE thread_item.tenant = ?1 AND thread_item.thread = ?2 AND thread_item.position > ?3
  AND +episode.tenant = ?1 AND (+episode.person = ?4 OR +episode.person = '')
ORDER BY thread_item.position LIMIT ?5;

-- name: items_last
-- The last of what follows a position of a thread, latest first; see items_after.
SELECT thread_item.thread, thread_item.position, thread_item.episode, thread_item.agent,
       thread_item.sealed, episode.*
FROM thread_item CROSS JOIN episode ON episode.no = thread_item.episode
WHERE thread_item.tenant = ?1 AND thread_item.thread = ?2 AND thread_item.position > ?3
  AND +episode.tenant = ?1 AND (+episode.person = ?4 OR +episode.person = '')
ORDER BY thread_item.position DESC LIMIT ?5;

-- name: item_episodes
-- The episodes of a thread.
SELECT episode FROM thread_item WHERE tenant = ? AND thread = ?;

-- name: item_of_episode
-- Where an episode stands.
SELECT thread, position, episode, agent, sealed FROM thread_item
WHERE tenant = ? AND episode = ?;

-- name: item_insert
-- Give an episode its place.
INSERT INTO thread_item (thread, position, episode, agent, sealed, tenant)
VALUES (?, ?, ?, ?, ?, ?);

-- name: item_delete
-- Let the places of a thread go.
DELETE FROM thread_item WHERE thread = ? AND tenant = ?;

-- name: state_find
-- The state of a thread.
SELECT thread, tenant, version, document, at FROM thread_state WHERE thread = ? AND tenant = ?;

-- name: state_put
-- Keep the state of a thread, in place of the one before.
INSERT OR REPLACE INTO thread_state (thread, tenant, version, document, at)
VALUES (?, ?, ?, ?, ?);

-- name: state_delete
-- Let the state of a thread go.
DELETE FROM thread_state WHERE thread = ? AND tenant = ?;

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
WHERE tenant = ? AND person = ? AND store = ?
ORDER BY name;

-- name: last_alias
-- The row of the latest alias; nothing where there is none.
SELECT max(rowid) FROM alias;

-- name: alias_insert
-- Keep an alias.
INSERT INTO alias (tenant, store, person, name, written, subject, at)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: alias_delete
-- Let an alias go.
DELETE FROM alias WHERE tenant = ? AND name = ? AND store = ? AND person = ?;

-- name: audit_insert
-- Enter what happened.
INSERT INTO audit (no, tenant, id, at, action, outcome, target, digest, said)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: audit_content_insert
-- Keep the erasable part of what happened.
INSERT INTO audit_content (audit, tenant, store, person, key, salt, content)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: audit_forget
-- Empty the erasable parts that concern a memory.
DELETE FROM audit_content
WHERE audit IN (SELECT no FROM audit WHERE tenant = ? AND target = ?);

-- name: audit_untell
-- Empty what else of a key tells of a memory: corrections of it, and what entered nothing.
DELETE FROM audit_content
WHERE tenant = ?1 AND key = ?2
    AND ((instr(content, ?3) > 0 AND instr(content, ',"before":') > 0)
        OR (instr(content, ?4) > 0
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
FROM audit INDEXED BY audit_seal LEFT JOIN audit_content ON audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.seal IS NOT NULL
ORDER BY audit.seal, audit.id;

-- name: audit_open
-- All entries that no seal covers yet, with their content where it is still there.
SELECT audit.seal, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, audit_content.salt, audit_content.store, audit_content.person,
       audit_content.content
FROM audit INDEXED BY audit_unsealed LEFT JOIN audit_content ON audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.seal IS NULL
ORDER BY audit.no;

-- name: audit_told
-- The entries about one target with all that is stored of them.
SELECT audit.seal, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, audit_content.salt, audit_content.store, audit_content.person,
       audit_content.content
FROM audit LEFT JOIN audit_content ON audit_content.audit = audit.no
WHERE audit.tenant = ? AND audit.target = ?;

-- name: audit_first_seal
-- The first seal that still has entries.
SELECT min(seal) FROM audit WHERE tenant = ? AND seal IS NOT NULL;

-- name: seal_since
-- The first seal from a number on that was made at or after an instant.
SELECT n FROM seal WHERE tenant = ? AND n >= ? AND at >= ? ORDER BY n LIMIT 1;

-- name: audit_prune_content
-- The content of entries up to a seal.
DELETE FROM audit_content WHERE audit IN (
    SELECT no FROM audit WHERE tenant = ?1 AND seal <= ?2);

-- name: audit_prune
-- Entries up to a seal; the seals stay, for the chain goes on from them.
DELETE FROM audit WHERE tenant = ? AND seal <= ?;

-- name: seal_insert
-- Close a seal.
INSERT INTO seal (tenant, n, entries, at, hash) VALUES (?, ?, ?, ?, ?);

-- name: seals
-- All seals of a tenant in order.
SELECT n, entries, at, hash FROM seal WHERE tenant = ? ORDER BY n;

-- name: job_insert
-- Enqueue work.
INSERT INTO job (tenant, kind, lane, payload, state, run_at, attempts, person)
VALUES (?, ?, ?, ?, 'ready', ?, 0, ?);

-- name: job_done
-- Take finished work of one kind out of the queue.
DELETE FROM job WHERE kind = ?;

-- name: answer_find
-- The answer given to a request before.
SELECT tenant, caller, endpoint, name, person, request, answer, at FROM idempotency
WHERE tenant = ? AND caller = ? AND endpoint = ? AND name = ?;

-- name: answer_insert
-- Keep the answer given to a request, in place of one that is too old.
INSERT OR REPLACE INTO idempotency (tenant, caller, endpoint, name, person, request, answer, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?);

-- name: answer_prune
-- Drop answers older than a day.
DELETE FROM idempotency WHERE tenant = ? AND at < ?;

-- name: tenant_find
-- The salt of a tenant.
SELECT salt FROM tenant WHERE tenant = ?;

-- name: tenant_insert
-- Make a tenant known.
INSERT OR IGNORE INTO tenant (tenant, salt, created_at) VALUES (?, ?, ?);

-- name: tenants
-- All tenants of the file.
SELECT tenant FROM tenant ORDER BY tenant;

-- name: person_find
-- The entity that a person is.
SELECT subject FROM person WHERE tenant = ? AND person = ?;

-- name: person_link
-- Note the entity that a person is.
INSERT OR REPLACE INTO person (tenant, person, subject) VALUES (?, ?, ?);

-- name: person_unlink
-- Forget which entity a person is.
DELETE FROM person WHERE tenant = ? AND person = ?;

-- name: erased_find
-- When a person was erased.
SELECT at FROM erased WHERE tenant = ? AND person = ?;

-- name: erased_insert
-- Note that a person was erased.
INSERT OR REPLACE INTO erased (tenant, person, at, counts, state) VALUES (?, ?, ?, ?, ?);

-- name: erased_purged
-- Note that what was removed is gone from the files.
UPDATE erased SET state = 'purged' WHERE state = 'removed';

-- name: keys_of_tenant
-- All keys of a tenant, for checking.
SELECT no, tenant, store, person, subject, attribute, type, name, last_recorded
FROM key WHERE tenant = ? ORDER BY no;

-- name: statements_of_key
-- Every statement of a key, for checking.
SELECT * FROM statement WHERE tenant = ? AND key = ? ORDER BY no;

-- name: erase_outdate
-- Tell readers of the scopes that passages of a person go. The plus keeps the planner from walking
-- the tenant, here and below.
INSERT INTO index_change (tenant, scope, generation)
SELECT tenant, scope, 1 FROM passage WHERE +tenant = ?1 AND no IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.person = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM json_each(?3) CROSS JOIN statement CROSS JOIN passage
    WHERE statement.tenant = ?1 AND statement.key = json_each.value
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.person = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1)
ON CONFLICT (tenant, scope) DO UPDATE SET generation = generation + 1;

-- name: erase_vector
-- The vectors of what a person's memories and episodes say.
DELETE FROM vector WHERE tenant = ?1 AND passage IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.person = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM json_each(?3) CROSS JOIN statement CROSS JOIN passage
    WHERE statement.tenant = ?1 AND statement.key = json_each.value
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.person = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1);

-- name: erase_passage
-- The words of a person's memories and episodes.
DELETE FROM passage WHERE +tenant = ?1 AND no IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.person = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM json_each(?3) CROSS JOIN statement CROSS JOIN passage
    WHERE statement.tenant = ?1 AND statement.key = json_each.value
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.person = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1);

-- name: erase_belief
-- The beliefs of a person's keys.
DELETE FROM belief WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value FROM json_each(?3));

-- name: erase_audit_content
-- The erasable parts of the audit that concern a person; the plus as in erase_key.
DELETE FROM audit_content WHERE +tenant = ?1 AND audit IN (
    SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT audit FROM audit_content
    WHERE tenant = ?1 AND key IN (SELECT value FROM json_each(?3)));

-- name: erase_statement
-- The statements of a person's keys.
DELETE FROM statement WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value FROM json_each(?3));

-- name: erase_key
-- The keys of a person. The plus keeps the planner from walking the tenant.
DELETE FROM key WHERE +tenant = ?1 AND no IN (
    SELECT no FROM key WHERE tenant = ?1 AND person = ?2
    UNION ALL SELECT value FROM json_each(?3));

-- name: erase_thread_item
-- The places of a person's episodes, in their threads and in shared ones.
DELETE FROM thread_item INDEXED BY thread_item_episode
WHERE tenant = ?1 AND ?3 IS NOT NULL AND episode IN (
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2);

-- name: erase_thread_state
-- The states of a person's threads.
DELETE FROM thread_state WHERE +tenant = ?1 AND ?3 IS NOT NULL AND thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2);

-- name: erase_thread
-- The threads of a person.
DELETE FROM thread WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_episode
-- The episodes of a person.
DELETE FROM episode WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_idempotency
-- The kept answers that concern a person.
DELETE FROM idempotency INDEXED BY idempotency_person
WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_answers_about
-- The kept answers about the entity that a person is.
DELETE FROM idempotency WHERE tenant = ? AND answer ->> 'about' = ?;

-- name: erase_alias
-- The aliases of a person.
DELETE FROM alias WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_job
-- The queued work that concerns a person.
DELETE FROM job WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_person
-- What is known of the person as such.
DELETE FROM person WHERE tenant = ?1 AND person = ?2 AND ?3 IS NOT NULL;

-- name: erase_resource
-- The settings of a person.
DELETE FROM resource INDEXED BY resource_person
WHERE tenant = ?1 AND person = ?2 AND person <> '' AND ?3 IS NOT NULL;

-- name: resource
-- One resource by its id.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ? AND kind = ? AND id = ?;

-- name: resource_named
-- One resource by its name.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ? AND kind = ? AND name = ?;

-- name: resources
-- The resources of a kind after an id.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource WHERE tenant = ? AND kind = ? AND id > ? ORDER BY id LIMIT ?;

-- name: candidates
-- What was proposed, of everyone, with ids between two, where the document holds some words.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource
WHERE tenant = ?1 AND kind = 'candidate' AND id > ?2 AND id < ?3 AND instr(document, ?4) > 0
ORDER BY id LIMIT ?5;

-- name: candidates_of_person
-- The same, of one person.
SELECT tenant, kind, id, name, person, version, document, created_at, changed_at
FROM resource INDEXED BY resource_candidate
WHERE tenant = ?1 AND kind = 'candidate' AND id > ?2 AND id < ?3 AND instr(document, ?4) > 0
  AND person = ?6
ORDER BY id LIMIT ?5;

-- name: resource_put
-- A resource, new or in place of what it was.
INSERT INTO resource
    (tenant, kind, id, name, person, version, document, created_at, changed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, kind, id) DO UPDATE SET
    name = excluded.name, version = excluded.version, document = excluded.document,
    changed_at = excluded.changed_at;

-- name: resource_delete
-- A resource that goes.
DELETE FROM resource WHERE tenant = ? AND kind = ? AND id = ?;

-- name: audit_entries
-- Entries of the audit trail before one of them, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       audit_content.store, audit_content.person, audit_content.content
FROM audit LEFT JOIN audit_content ON audit_content.audit = audit.no
WHERE audit.tenant = ?1 AND audit.id < ?2
  AND (?3 IS NULL OR audit.action = ?3) AND ?4 IS NULL
ORDER BY audit.id DESC LIMIT ?5;

-- name: audit_entries_of
-- The entries about one record, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       audit_content.store, audit_content.person, audit_content.content
FROM audit INDEXED BY audit_target LEFT JOIN audit_content ON audit_content.audit = audit.no
WHERE audit.tenant = ?1 AND audit.id < ?2
  AND (?3 IS NULL OR audit.action = ?3) AND audit.target = ?4
ORDER BY audit.id DESC LIMIT ?5;

-- name: audit_entries_about
-- The entries that concern a person, newest first.
SELECT audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.seal,
       audit_content.store, audit_content.person, audit_content.content
FROM audit_content CROSS JOIN audit ON audit.no = audit_content.audit
WHERE audit_content.tenant = ?1 AND audit_content.person = ?6 AND +audit.tenant = ?1
  AND (?2 IS NULL OR audit.id < ?2) AND (?3 IS NULL OR audit.action = ?3)
  AND (?4 IS NULL OR audit.target = ?4)
ORDER BY audit.id DESC LIMIT ?5;

-- name: unsealed_tenants
-- Whose audit trail has entries without a seal.
SELECT DISTINCT tenant FROM audit INDEXED BY audit_unsealed WHERE seal IS NULL;

-- name: unsealed_since
-- When the oldest entry was made that has no seal yet.
SELECT min(at) FROM audit INDEXED BY audit_unsealed WHERE seal IS NULL;

-- name: last_entry
-- When the newest entry of any audit trail was made.
SELECT at FROM audit ORDER BY no DESC LIMIT 1;

-- name: unpurged_since
-- Since when rows are removed that may still be in the files.
SELECT min(run_at) FROM job WHERE kind = 'purge';

-- name: jobs_counted
-- How much queued work there is, by kind and state.
SELECT kind, state, count(*) FROM job GROUP BY kind, state ORDER BY kind, state;

-- name: last_seal
-- The newest seal of a tenant.
SELECT n, hash FROM seal WHERE tenant = ? AND n > 0 ORDER BY n DESC LIMIT 1;

-- name: end_vector
-- All rows of a tenant that is deleted.
DELETE FROM vector WHERE tenant = ?;

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

-- name: usage_add
-- Count model calls.
INSERT INTO usage (tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, day, store, model, kind) DO UPDATE SET
    calls = calls + excluded.calls, failed = failed + excluded.failed,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens;

-- name: usage_between
-- What model calls came to on some days.
SELECT tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens
FROM usage WHERE tenant = ? AND day >= ? AND day < ? ORDER BY day, store, model, kind;

-- name: stores_of_person
-- The stores in which a person has anything.
SELECT store FROM key INDEXED BY key_person WHERE tenant = ?1 AND person = ?2
UNION ALL SELECT store FROM episode INDEXED BY episode_person WHERE tenant = ?1 AND person = ?2
UNION ALL SELECT store FROM thread INDEXED BY thread_person WHERE tenant = ?1 AND person = ?2
UNION ALL SELECT store FROM alias INDEXED BY alias_person WHERE tenant = ?1 AND person = ?2;

-- name: episodes_of_person
-- The episodes of a person in every store.
SELECT * FROM episode WHERE tenant = ? AND person = ? ORDER BY occurred_at, no;

-- name: store_outdate
-- Tell readers of the scopes of a store that passages go.
INSERT INTO index_change (tenant, scope, generation)
SELECT tenant, scope, 1 FROM passage WHERE +tenant = ?1 AND no IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.store = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.store = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1)
ON CONFLICT (tenant, scope) DO UPDATE SET generation = generation + 1;

-- name: store_vector
-- The vectors of a store that is deleted.
DELETE FROM vector WHERE tenant = ?1 AND passage IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.store = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.store = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1);

-- name: store_passage
-- The words of a store that is deleted.
DELETE FROM passage WHERE +tenant = ?1 AND no IN (
    SELECT passage.no FROM key CROSS JOIN statement CROSS JOIN passage
    WHERE key.tenant = ?1 AND key.store = ?2
      AND statement.tenant = ?1 AND statement.key = key.no
      AND passage.tenant = ?1 AND passage.source = statement.no AND passage.kind = 0
    UNION ALL
    SELECT passage.no FROM episode CROSS JOIN passage
    WHERE episode.tenant = ?1 AND episode.store = ?2
      AND passage.tenant = ?1 AND passage.source = episode.no AND passage.kind = 1);

-- name: store_belief
-- The beliefs of a store that is deleted.
DELETE FROM belief WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND store = ?2);

-- name: store_audit_content
-- What the audit trail says of the content of a store that is deleted.
DELETE FROM audit_content WHERE tenant = ?1 AND store = ?2;

-- name: store_statement
-- The statements of a store that is deleted.
DELETE FROM statement WHERE tenant = ?1 AND key IN (
    SELECT no FROM key WHERE tenant = ?1 AND store = ?2);

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

-- name: store_job
-- The queued work of a store that is deleted.
DELETE FROM job WHERE tenant = ?1 AND lane = ?2;

-- name: store_alias
-- The aliases of a store that is deleted.
DELETE FROM alias WHERE tenant = ?1 AND store = ?2;

-- name: move_tenant
-- The tenant itself.
SELECT salt, created_at
FROM tenant
WHERE tenant = ?1;

-- name: move_resource
-- What governs it, in order.
SELECT kind, id, name, person, version, document, created_at, changed_at
FROM resource
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY kind, id;

-- name: move_episode
-- Raw records, in order of recording, which the limit keeps.
SELECT episode.no, episode.id, episode.store, episode.person, episode.role, episode.kind,
       episode.content, episode.occurred_at, episode.recorded_at, episode.speaker,
       episode.thread, episode.external_id, episode.metadata, episode.expires_at,
       episode.flagged, episode.stub
FROM (
    SELECT no AS n FROM episode
    WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN episode ON episode.no = mine.n AND episode.tenant = ?1;

-- name: move_episode_numbers
-- The numbers of episodes, rising.
SELECT no FROM episode
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY no;

-- name: move_thread
-- Threads, in order of recording, which the limit keeps.
SELECT thread.no, thread.store, thread.person, thread.id, thread.agent, thread.metadata,
       thread.created_at, thread.ttl_days, thread.last_position, thread.expires_at
FROM (
    SELECT no AS n FROM thread
    WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN thread ON thread.no = mine.n AND thread.tenant = ?1;

-- name: move_thread_numbers
-- The numbers of threads, rising.
SELECT no FROM thread
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY no;

-- name: move_thread_item
-- Where episodes stand, in order.
SELECT thread, position, episode, agent, sealed
FROM thread_item
WHERE tenant = ?1 AND (?2 IS NULL OR thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2))
  AND (?2 IS NULL OR episode IN (
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2))
ORDER BY thread, position;

-- name: move_thread_state
-- The states of threads, in order.
SELECT thread, version, document, at
FROM thread_state
WHERE tenant = ?1 AND (?2 IS NULL OR thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2))
ORDER BY thread;

-- name: move_key
-- Keys, with what is in force of each, in order of recording, which the limit keeps.
SELECT key.no, key.store, key.person, key.subject, key.attribute, key.type, key.name,
       key.last_recorded, key.head_from, key.head_to, key.head_recorded, key.head_expires,
       key.head_replaced, key.head_replacer, key.head
FROM (
    SELECT no AS n FROM key
    WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN key ON key.no = mine.n AND key.tenant = ?1;

-- name: move_key_numbers
-- The numbers of keys, rising.
SELECT no FROM key
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY no;

-- name: move_statement
-- Statements, in order of recording, which the limit keeps.
SELECT statement.no, statement.id, statement.key, statement.member, statement.role,
       statement.kind, statement.token, statement.valid_from, statement.valid_to,
       statement.stated_end, statement.basis, statement.recorded_from, statement.withdrawn_at,
       statement.forgotten_at, statement.gap, statement.place, statement.turn, statement.bears,
       statement.bears_from, statement.clean, statement.indexed, statement.keep, statement.type,
       statement.value_kind, statement.value, statement.text, statement.replaces,
       statement.status, statement.contested, statement.source_episode, statement.source,
       statement.quote, statement.speaker, statement.trust, statement.writer,
       statement.confidence, statement.importance, statement.metadata, statement.retention,
       statement.expires_at, statement.created_at, statement.last_changed_at,
       statement.confirmed_at, statement.evidence_count, statement.retrieved_count,
       statement.schema_version, statement.fields, statement.flagged, statement.fingerprint,
       statement.outcome, statement.ended, statement.reason
FROM (
    SELECT no AS n FROM statement
    WHERE tenant = ?1 AND (?2 IS NULL OR key IN (
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN statement ON statement.no = mine.n AND statement.tenant = ?1;

-- name: move_statement_numbers
-- The numbers of statements, rising.
SELECT no FROM statement
WHERE tenant = ?1 AND (?2 IS NULL OR key IN (
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))
ORDER BY no;

-- name: move_belief
-- Beliefs, in order of recording, which the limit keeps.
SELECT belief.no, belief.key, belief.member, belief.memory, belief.valid_from, belief.valid_to,
       belief.recorded_from, belief.recorded_to
FROM (
    SELECT no AS n FROM belief
    WHERE tenant = ?1 AND (?2 IS NULL OR key IN (
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN belief ON belief.no = mine.n AND belief.tenant = ?1;

-- name: move_alias
-- Other names of subjects, in order.
SELECT store, person, name, written, subject, at
FROM alias
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY store, person, name;

-- name: move_person
-- Which subjects persons are, in order.
SELECT person, subject
FROM person
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
ORDER BY person;

-- name: move_audit
-- The audit trail, with what was not emptied of it, in order of recording, which the limit keeps.
SELECT audit.no, audit.id, audit.at, audit.action, audit.outcome, audit.target, audit.digest,
       audit.said, iif(?2 IS NULL, audit.seal, NULL), audit_content.store, audit_content.person,
       audit_content.key, audit_content.salt, audit_content.content
FROM (
    SELECT no AS n FROM audit
    WHERE tenant = ?1 AND (?2 IS NULL OR no IN (
        SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?2))
    ORDER BY no LIMIT -1) AS mine
CROSS JOIN audit ON audit.no = mine.n AND audit.tenant = ?1
LEFT JOIN audit_content ON audit_content.audit = mine.n AND audit_content.tenant = ?1;

-- name: move_seal
-- The seals of the trail, in order.
SELECT n, entries, at, hash
FROM seal
WHERE tenant = ?1 AND ?2 IS NULL
ORDER BY n;

-- name: move_idempotency
-- Answers that were kept, in order.
SELECT caller, endpoint, name, person, request, answer, at
FROM idempotency
WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)
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
WHERE tenant = ?1 AND ?2 IS NULL
ORDER BY day, store, model, kind;

-- name: move_counts
-- How many rows of each table there are to move.
SELECT (SELECT count(*) FROM tenant WHERE tenant = ?1),
       (SELECT count(*) FROM resource WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM episode WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM thread WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM thread_item WHERE tenant = ?1 AND (?2 IS NULL OR thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2))
  AND (?2 IS NULL OR episode IN (
    SELECT no FROM episode WHERE tenant = ?1 AND person = ?2))),
       (SELECT count(*) FROM thread_state WHERE tenant = ?1 AND (?2 IS NULL OR thread IN (
    SELECT no FROM thread WHERE tenant = ?1 AND person = ?2))),
       (SELECT count(*) FROM key WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM statement WHERE tenant = ?1 AND (?2 IS NULL OR key IN (
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))),
       (SELECT count(*) FROM belief WHERE tenant = ?1 AND (?2 IS NULL OR key IN (
        SELECT no FROM key WHERE tenant = ?1 AND person = ?2))),
       (SELECT count(*) FROM alias WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM person WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM audit WHERE tenant = ?1 AND (?2 IS NULL OR no IN (
        SELECT audit FROM audit_content WHERE tenant = ?1 AND person = ?2))),
       (SELECT count(*) FROM seal WHERE tenant = ?1 AND ?2 IS NULL),
       (SELECT count(*) FROM idempotency WHERE tenant = ?1 AND (?2 IS NULL OR person = ?2)),
       (SELECT count(*) FROM erased WHERE tenant = ?1),
       (SELECT count(*) FROM usage WHERE tenant = ?1 AND ?2 IS NULL);

-- name: move_last
-- The highest number in use of each numbered table.
SELECT (SELECT coalesce(max(no), 0) FROM episode),
       (SELECT coalesce(max(no), 0) FROM thread),
       (SELECT coalesce(max(no), 0) FROM key),
       (SELECT coalesce(max(no), 0) FROM statement),
       (SELECT coalesce(max(no), 0) FROM belief),
       (SELECT coalesce(max(no), 0) FROM audit);

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
       passage.start, vector.data
FROM (SELECT vector.no AS n, vector.passage AS p, vector.model AS m
      FROM vector CROSS JOIN passage ON passage.no = vector.passage AND passage.tenant = ?1
      CROSS JOIN embedder ON embedder.no = vector.model
      WHERE vector.tenant = ?1 AND (?2 IS NULL OR vector.passage IN (
          SELECT no FROM passage WHERE tenant = ?1 AND kind = 0 AND home IN (
              SELECT no FROM key WHERE tenant = ?1 AND person = ?2)
          UNION ALL SELECT no FROM passage WHERE tenant = ?1 AND kind = 1 AND source IN (
              SELECT no FROM episode WHERE tenant = ?1 AND person = ?2)))
      ORDER BY embedder.name, embedder.revision, embedder.dimension, passage.kind,
               passage.source, passage.start
      LIMIT -1) AS mine
CROSS JOIN vector ON vector.no = mine.n AND vector.tenant = ?1
CROSS JOIN passage ON passage.no = mine.p AND passage.tenant = ?1
CROSS JOIN embedder ON embedder.no = mine.m;

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
INSERT OR REPLACE INTO erased (tenant, person, at, counts, state)
VALUES (?, ?, ?, ?, ?);

-- name: load_usage
-- A row of the table usage, as it was.
INSERT INTO usage (tenant, day, store, model, kind, calls, failed, input_tokens, output_tokens)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: salts
-- Every tenant with its salt.
SELECT tenant, salt FROM tenant ORDER BY tenant;
