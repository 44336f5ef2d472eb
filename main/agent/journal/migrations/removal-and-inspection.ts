/** Entries 11 to 35: the removal of files, alerts, the text search and inspections. A new entry goes to the end. */
export const removalAndInspection: readonly string[] = [
  `
  -- One index lookup finds the next recording that has no retry time. A second lookup finds a recording whose retry
  -- time has passed. Neither gets slower with the number of recordings that still wait. The hasher for large files has
  -- its own index, so that it finds these few files without reading the rows of all the others.
  DROP INDEX recordings_by_state;
  CREATE INDEX recordings_by_turn ON recordings(state, paused, (next_attempt_at > 0), urgent DESC, found_at, id);
  CREATE INDEX recordings_waiting ON recordings(state, next_attempt_at) WHERE next_attempt_at > 0 AND paused = 0;
  CREATE INDEX recordings_large ON recordings(state, urgent DESC, found_at, id) WHERE bytes >= 4294967296;
  `,
  `
  -- The removal of files that the service has processed. The index finds removable files by the time of processing.
  ALTER TABLE recordings ADD COLUMN processed_at INTEGER;
  ALTER TABLE recordings ADD COLUMN removed_at INTEGER;
  ALTER TABLE recordings ADD COLUMN moved_to TEXT;
  UPDATE recordings SET processed_at = COALESCE(
      (SELECT MAX(at) FROM timeline
       WHERE recording_id = recordings.id AND to_state = 'processed' AND from_state <> 'processed'), changed_at)
    WHERE state = 'processed';
  CREATE INDEX recordings_to_remove ON recordings(folder_key, processed_at)
    WHERE state = 'processed' AND current = 1 AND removed_at IS NULL;
  -- Removals in progress or waiting. The step shows what a crash may have left on the drive.
  CREATE TABLE removals (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings(id) ON DELETE CASCADE,
    step TEXT,
    action TEXT NOT NULL,
    -- The path of the file during its removal: a hidden name in the same folder.
    aside TEXT NOT NULL,
    -- target: the final path. copy: the path of the copy until Sluice has verified the copy.
    target TEXT,
    copy TEXT,
    request_id TEXT,
    early INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL DEFAULT 0,
    waits TEXT
  ) STRICT;
  CREATE INDEX removals_under_way ON removals(step) WHERE step IS NOT NULL;
  `,
  `
  -- Reported problems that are not resolved yet (monitoring.alert_url), and the messages still to deliver. So after a
  -- restart, Sluice reports nothing twice and forgets nothing.
  CREATE TABLE told_alerts (
    subject TEXT PRIMARY KEY,
    need TEXT NOT NULL
  ) STRICT;
  CREATE TABLE waiting_alerts (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  `,
  `
  -- 1: Sluice knows that it made the copy at the target, so it can undo the copy if the rules change.
  ALTER TABLE removals ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Trigrams of the searched text, for a journal that is too large to read for each search. Sluice builds the index in
  -- the background, from the first recording on. trigrams_reach has the id of the last recording indexed so far. The
  -- index only narrows the search: Sluice compares each candidate with the searched text.
  CREATE VIRTUAL TABLE recording_trigrams USING fts5(text, content='', tokenize='trigram', detail=none, columnsize=0);
  CREATE TABLE trigrams_reach (id INTEGER NOT NULL) STRICT;
  INSERT INTO trigrams_reach VALUES (0);
  CREATE TRIGGER trigrams_changed AFTER UPDATE OF path, site ON recordings
  WHEN old.id <= (SELECT id FROM trigrams_reach) AND (old.path <> new.path OR old.site <> new.site) BEGIN
    INSERT INTO recording_trigrams (recording_trigrams, rowid, text)
      VALUES ('delete', old.id, old.path || char(10) || old.site);
    INSERT INTO recording_trigrams (rowid, text) VALUES (new.id, new.path || char(10) || new.site);
  END;
  `,
  `
  -- With this index, a stage that wants larger files finds these few without reading thousands of small ones.
  CREATE INDEX recordings_by_turn_not_small ON recordings(state, paused, (next_attempt_at > 0), urgent DESC, found_at, id)
    WHERE bytes >= 1048576;
  `,
  `
  -- When the file was created. Distinguishes a renamed file from a new file with the same inode. Null: unknown.
  ALTER TABLE recordings ADD COLUMN born_ns TEXT;
  -- The state of each watched folder at its last scan, for terminal commands and the next start.
  CREATE TABLE folder_states (
    key TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    state TEXT NOT NULL,
    problems TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Every copy that Sluice makes in an archive folder, under its temporary name. Sluice writes the row before the copy
  -- starts, and keeps it until the move is finished or the copy is known to be gone. So Sluice still finds the copy
  -- if a crash interrupts the move, the archive's drive is missing at the next start, and the rules have changed when
  -- the drive is back.
  CREATE TABLE made_copies (
    path TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    device TEXT NOT NULL,
    inode TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- The hash and size of the content of the given-up session. Sluice deletes the session only if the service reports
  -- the same values. Null: unknown, so Sluice leaves the session at the service.
  ALTER TABLE discarded_sessions ADD COLUMN sha256 TEXT;
  ALTER TABLE discarded_sessions ADD COLUMN bytes INTEGER;
  `,
  `
  -- 1: Sluice opened the session with a test key (§5.3), so it never removes the file. Older recordings count as opened
  -- with a production key.
  ALTER TABLE recordings ADD COLUMN test_key INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Sessions that a user is deleting. Sluice writes the row before it sends the request, and deletes the row when it
  -- has stored the result.
  CREATE TABLE session_deletions (
    session_id TEXT PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  `,
  `
  -- Renames kinds to the words that the window uses.
  UPDATE activity SET kind = 'dismissed' WHERE kind = 'set-aside';
  UPDATE activity SET kind = 'no-space-freed' WHERE kind = 'no-room-made';
  `,
  `
  -- The inspection result of a recording, as JSON. A row without a result means that the inspection is due. If a
  -- finished recording grows again, Sluice inspects it again once it is finished.
  CREATE TABLE inspections (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings(id) ON DELETE CASCADE,
    result TEXT,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX inspections_due ON inspections(recording_id) WHERE result IS NULL;
  CREATE TRIGGER inspection_due AFTER UPDATE OF state ON recordings
  WHEN old.state = 'growing' AND new.state = 'queued' BEGIN
    INSERT OR REPLACE INTO inspections (recording_id) VALUES (new.id);
  END;
  `,
  `
  -- Renames a column and kinds to the words that the commands use. SQLite also renames the column in the indexes.
  ALTER TABLE recordings RENAME COLUMN urgent TO prioritised;
  UPDATE activity SET kind = 'prioritised' WHERE kind = 'put-first';
  UPDATE activity SET kind = 'retried' WHERE kind = 'asked-again';
  UPDATE activity SET kind = 'journal-recovered' WHERE kind = 'journal-mended';
  UPDATE activity SET kind = 'names-restored' WHERE kind = 'given-back';
  UPDATE activity SET kind = 'not-removed' WHERE kind = 'stays';
  `,
  `
  -- 1: a search found the session at the service, so a different station may have created the session. Sluice deletes
  -- such a session only if the service returns it for the idempotency key of this recording.
  ALTER TABLE recordings ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Renames kinds and facts so that they state what happened.
  UPDATE activity SET kind = 'upload-now-cancelled' WHERE kind = 'upload-hours-kept';
  UPDATE activity SET kind = 'station-upload-now-cancelled' WHERE kind = 'station-upload-hours-kept';
  UPDATE activity SET facts = json_object('lastActivityAt', facts ->> 'lastSign') WHERE kind = 'crashed';
  `,
  `
  -- How an inspected recording deviates from the expectation or the usual content of its folder: sentences as JSON.
  -- Null: no deviations. dismissed: 1 if a user dismissed the report, or earlier reports of the same deviations.
  ALTER TABLE inspections ADD COLUMN deviations TEXT;
  ALTER TABLE inspections ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX inspections_to_check ON inspections(recording_id) WHERE deviations IS NOT NULL AND dismissed = 0;
  `,
  `
  -- When Sluice made the creation key, by the service's clock, because the PC's clock may be days off. Null: unknown,
  -- so a search reads all sessions of the site.
  ALTER TABLE recordings ADD COLUMN create_key_service_at INTEGER;
  `,
  `
  -- When Sluice made the key of the request, by the service's clock, because a user may change the PC's clock later.
  -- Null: unknown.
  ALTER TABLE unsettled_creations ADD COLUMN asked_service_at INTEGER;
  `,
  `
  -- 1: Sluice may upload the deviating recording, although its folder puts such recordings on hold. Either a user
  -- decided this, or users dismissed the same deviations in earlier recordings.
  ALTER TABLE inspections ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The inode of the hidden file's folder just before the removal. If a different folder has this path after a crash, a
  -- missing file there does not prove that Sluice removed the file. Null: unknown.
  ALTER TABLE removals ADD COLUMN aside_folder TEXT;
  `,
  `
  -- The take of a file: the path of the folder whose files form one take, or the path of a split recording with * for
  -- the number. Null: the file is its own take.
  ALTER TABLE recordings ADD COLUMN take TEXT;
  CREATE INDEX recordings_by_take ON recordings(take, current) WHERE take IS NOT NULL;
  CREATE INDEX recordings_processed_in_take ON recordings(take, processed_at) WHERE take IS NOT NULL AND current = 1;
  -- The files that may prevent the removal of their take. There are usually few, and with this index the remover reads
  -- only these instead of the whole take.
  CREATE INDEX recordings_unsafe_in_take ON recordings(take) WHERE take IS NOT NULL AND current = 1
    AND (state <> 'processed' OR problem_code IS NOT NULL OR paused = 1 OR test_key = 1 OR sha256 IS NULL
      OR session_id IS NULL);
  `,
  `
  -- 1: the inspection of a closed file that has not settled. If the file settles unchanged, the row stays. If the file
  -- changes first, a trigger deletes the row.
  ALTER TABLE inspections ADD COLUMN early INTEGER NOT NULL DEFAULT 0;
  DROP TRIGGER inspection_due;
  CREATE TRIGGER inspection_due AFTER UPDATE OF state ON recordings
  WHEN old.state = 'growing' AND new.state = 'queued' BEGIN
    INSERT OR REPLACE INTO inspections (recording_id)
      SELECT new.id WHERE NOT EXISTS (SELECT 1 FROM inspections WHERE recording_id = new.id AND early = 1);
    UPDATE inspections SET early = 0 WHERE recording_id = new.id;
  END;
  CREATE TRIGGER early_inspection_outdated AFTER UPDATE OF bytes, mtime_ns, ctime_ns, file_inode, file_device ON recordings
  WHEN old.bytes <> new.bytes OR old.mtime_ns <> new.mtime_ns OR old.ctime_ns <> new.ctime_ns OR old.file_inode <> new.file_inode
    OR old.file_device <> new.file_device BEGIN
    DELETE FROM inspections WHERE recording_id = new.id AND early = 1;
  END;
  `,
  `
  -- denial: how the service denied the session in its last answer to a poll before a removal (type SessionDenial).
  -- Null: no denial. denied_at: when the service first gave this denial, by the service's clock. Sluice polls the
  -- session before the removal of any file of the take, so these columns are independent of the file's own wait.
  ALTER TABLE removals ADD COLUMN denied_session TEXT;
  ALTER TABLE removals ADD COLUMN denial TEXT;
  ALTER TABLE removals ADD COLUMN denied_at INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- How many polls before the removal got no answer in time. The time limit of the next poll depends on this number.
  ALTER TABLE removals ADD COLUMN unanswered_polls INTEGER NOT NULL DEFAULT 0;
  `,
]
