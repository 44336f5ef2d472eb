/** Entries 11 to 32: the removal of files, alerts, the text search and inspections. A new entry goes to the end. */
export const removalAndInspection: readonly string[] = [
  `
  -- One index step finds the next recording without a wait, and one finds the next whose wait is over, however many
  -- wait. Few files are large, and their hasher must not read all the other rows.
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
  -- Removals in progress or waiting. The step is written before it happens.
  CREATE TABLE removals (
    recording_id INTEGER PRIMARY KEY REFERENCES recordings(id) ON DELETE CASCADE,
    step TEXT,
    action TEXT NOT NULL,
    -- The hidden name that the file has during its removal, in the same folder.
    aside TEXT NOT NULL,
    -- The final path, and the name of the copy until the copy is verified.
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
  -- Whether Sluice knows that it made the copy at the target. Then it can undo the copy if the rules change.
  ALTER TABLE removals ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Trigrams of the searched text, for a journal too large to scan. The index grows in the background, from the first
  -- recording up to trigrams_reach. It only narrows the search: each match is compared with the recording itself.
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
  -- Finds the few recordings that are not small without reading thousands of small ones.
  CREATE INDEX recordings_by_turn_not_small ON recordings(state, paused, (next_attempt_at > 0), urgent DESC, found_at, id)
    WHERE bytes >= 1048576;
  `,
  `
  -- Distinguishes a renamed file from a new file with the same inode. Null: unknown.
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
  -- Copies that were started in a folder that files are moved to. Its drive may be missing at the next start, and the
  -- rules may have changed when it is back.
  CREATE TABLE made_copies (
    path TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    device TEXT NOT NULL,
    inode TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- A session is deleted only if it shows the content that was given up. Null: unknown, so it stays.
  ALTER TABLE discarded_sessions ADD COLUMN sha256 TEXT;
  ALTER TABLE discarded_sessions ADD COLUMN bytes INTEGER;
  `,
  `
  -- The session was opened with a test key (§5.3), so Sluice never removes its file. Older recordings count as
  -- production.
  ALTER TABLE recordings ADD COLUMN test_key INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Sessions that a user is deleting. The row is written before the request and removed with its result.
  CREATE TABLE session_deletions (
    session_id TEXT PRIMARY KEY,
    asked_at INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  `,
  `
  -- The same words as in the window.
  UPDATE activity SET kind = 'dismissed' WHERE kind = 'set-aside';
  UPDATE activity SET kind = 'no-space-freed' WHERE kind = 'no-room-made';
  `,
  `
  -- The inspection result of a recording, as JSON. A row without a result is due. A recording that ends again is
  -- inspected again.
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
  -- The same words as in the commands. The indexes on this column follow the rename.
  ALTER TABLE recordings RENAME COLUMN urgent TO prioritised;
  UPDATE activity SET kind = 'prioritised' WHERE kind = 'put-first';
  UPDATE activity SET kind = 'retried' WHERE kind = 'asked-again';
  UPDATE activity SET kind = 'journal-recovered' WHERE kind = 'journal-mended';
  UPDATE activity SET kind = 'names-restored' WHERE kind = 'given-back';
  UPDATE activity SET kind = 'not-removed' WHERE kind = 'stays';
  `,
  `
  -- A search found the session at the service, so a different station may have created it. It is never deleted.
  ALTER TABLE recordings ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Names that state what happened.
  UPDATE activity SET kind = 'upload-now-cancelled' WHERE kind = 'upload-hours-kept';
  UPDATE activity SET kind = 'station-upload-now-cancelled' WHERE kind = 'station-upload-hours-kept';
  UPDATE activity SET facts = json_object('lastActivityAt', facts ->> 'lastSign') WHERE kind = 'crashed';
  `,
  `
  -- How an inspected recording deviates from the expectation of its folder: sentences as JSON, null if it does not.
  -- Dismissed: a user has seen them.
  ALTER TABLE inspections ADD COLUMN deviations TEXT;
  ALTER TABLE inspections ADD COLUMN dismissed INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX inspections_to_check ON inspections(recording_id) WHERE deviations IS NOT NULL AND dismissed = 0;
  `,
  `
  -- The service's time of the creation key, because the PC's clock may be days off. Null: unknown, so a search reads the
  -- whole site.
  ALTER TABLE recordings ADD COLUMN create_key_service_at INTEGER;
  `,
  `
  -- The service's time of the request, because the PC's clock may be set later. Null: unknown.
  ALTER TABLE unsettled_creations ADD COLUMN asked_service_at INTEGER;
  `,
  `
  -- A user has decided to upload a recording that deviates, although its folder holds such recordings.
  ALTER TABLE inspections ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The folder of the hidden file when Sluice was about to remove the file. A different folder at the same path does not show
  -- whether the file is gone. Null: unknown.
  ALTER TABLE removals ADD COLUMN aside_folder TEXT;
  `,
  `
  -- The take of a file: the path of a folder that is one take, or of a split recording. Null: the file is its own take.
  ALTER TABLE recordings ADD COLUMN take TEXT;
  CREATE INDEX recordings_by_take ON recordings(take, current) WHERE take IS NOT NULL;
  CREATE INDEX recordings_processed_in_take ON recordings(take, processed_at) WHERE take IS NOT NULL AND current = 1;
  -- The files that keep their take on this PC. Usually few, so that the remover reads no other file of the take.
  CREATE INDEX recordings_unsafe_in_take ON recordings(take) WHERE take IS NOT NULL AND current = 1
    AND (state <> 'processed' OR problem_code IS NOT NULL OR paused = 1 OR test_key = 1 OR sha256 IS NULL
      OR session_id IS NULL);
  `,
]
