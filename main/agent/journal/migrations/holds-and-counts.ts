/** Entries 2 to 10: holds, keys of paths, the activity, and counts that triggers maintain. */
export const holdsAndCounts: readonly string[] = [
  `
  -- Creation requests without an answer whose session no recording needs any more. The service may have created the
  -- session. Sluice repeats the request with the same key to get the id, and deletes the session.
  CREATE TABLE unsettled_creations (
    key TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_attempt_at INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The searched text, in the order of the list: a search reads this index instead of 100,000 whole rows.
  CREATE INDEX recordings_by_text ON recordings(found_at, id, path || char(10) || site);
  `,
  `
  -- A hold, stored beside the state, replaces the state 'blocked'. When a recording was blocked, 'blocked' overwrote
  -- the state that it had reached. The timeline still has that earlier state. After this entry, Sluice retries held
  -- recordings at once.
  ALTER TABLE recordings ADD COLUMN held_since INTEGER;
  ALTER TABLE recordings ADD COLUMN ends_by TEXT;
  ALTER TABLE recordings ADD COLUMN complete_key_at INTEGER;
  -- The service that has the session, by the station's name for that service.
  ALTER TABLE recordings ADD COLUMN service TEXT;
  UPDATE recordings SET state = COALESCE(
      (SELECT CASE from_state WHEN 'hashing' THEN 'queued' ELSE from_state END FROM timeline
       WHERE recording_id = recordings.id AND to_state = 'blocked'
         AND from_state NOT IN ('blocked', 'failed', 'gone', 'processed')
       ORDER BY timeline.id DESC LIMIT 1),
      CASE WHEN sha256 IS NULL THEN 'growing' WHEN session_id IS NULL THEN 'ready' ELSE 'uploading' END)
    WHERE state = 'blocked';
  -- Without a session, a recording cannot be further than 'ready'.
  UPDATE recordings SET state = CASE WHEN sha256 IS NULL THEN 'growing' ELSE 'ready' END
    WHERE state IN ('uploading', 'completing', 'processing') AND session_id IS NULL;
  UPDATE recordings SET complete_key_at = changed_at WHERE complete_key IS NOT NULL;
  -- A refused request created nothing, so the next attempt may use the current settings.
  UPDATE recordings SET create_key = NULL, create_key_at = NULL
    WHERE state = 'ready' AND session_id IS NULL AND problem_code IN ('upload-refused', 'name-refused');
  UPDATE recordings SET problem = NULL, problem_code = NULL, attempts = 0, next_attempt_at = 0
    WHERE state NOT IN ('failed', 'gone');
  UPDATE recordings SET held_since = changed_at,
      ends_by = CASE state WHEN 'gone' THEN 'file' ELSE 'person' END,
      problem = json_set(problem, '$.endsBy', CASE state WHEN 'gone' THEN 'file' ELSE 'person' END, '$.param', NULL)
    WHERE problem IS NOT NULL;
  CREATE INDEX recordings_by_ending ON recordings(ends_by, state) WHERE ends_by IS NOT NULL;
  UPDATE timeline SET to_state = from_state WHERE to_state = 'blocked' AND from_state <> 'blocked';
  UPDATE timeline SET from_state = to_state WHERE from_state = 'blocked' AND to_state <> 'blocked';
  UPDATE timeline SET from_state = 'growing', to_state = 'growing' WHERE to_state = 'blocked';
  DELETE FROM station WHERE key = 'stop';
  `,
  `
  -- The journal keeps the spelling of paths, and looks paths up by a key. On Windows, C:\\rec and c:\\REC have the same
  -- key. Two recordings can have one key, because a Windows folder can be case-sensitive. If an earlier Sluice stored
  -- one file under two spellings, both recordings continue.
  ALTER TABLE recordings ADD COLUMN path_key TEXT NOT NULL DEFAULT '';
  ALTER TABLE recordings ADD COLUMN folder_key TEXT NOT NULL DEFAULT '';
  UPDATE recordings SET path_key = key_of_path(path), folder_key = key_of_path(folder);
  CREATE INDEX recordings_by_path ON recordings(path_key) WHERE current = 1;
  DROP INDEX recordings_by_folder;
  CREATE INDEX recordings_by_folder ON recordings(folder_key, state, found_at);
  ALTER TABLE folders RENAME TO folders_by_spelling;
  CREATE TABLE folders (
    key TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    file_device TEXT NOT NULL,
    file_inode TEXT NOT NULL,
    first_seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO folders (key, path, file_device, file_inode, first_seen_at)
    SELECT key_of_path(path), path, file_device, file_inode, first_seen_at FROM folders_by_spelling
    ORDER BY first_seen_at;
  DROP TABLE folders_by_spelling;
  `,
  `
  -- Counts of recordings, maintained by triggers. The window reads its figures several times a second, and counting
  -- 100,000 rows takes longer than the rest of a snapshot. In the key, '' means NULL.
  CREATE TABLE tallies (
    folder_key TEXT NOT NULL,
    state TEXT NOT NULL,
    ends_by TEXT NOT NULL,
    service TEXT NOT NULL,
    paused INTEGER NOT NULL,
    problem_code TEXT NOT NULL,
    recordings INTEGER NOT NULL,
    bytes_left INTEGER NOT NULL,
    PRIMARY KEY (folder_key, state, ends_by, service, paused, problem_code)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO tallies
    SELECT folder_key, state, COALESCE(ends_by, ''), COALESCE(service, ''), paused, COALESCE(problem_code, ''),
           COUNT(*), SUM(bytes - bytes_sent)
    FROM recordings GROUP BY 1, 2, 3, 4, 5, 6;
  CREATE TRIGGER tally_added AFTER INSERT ON recordings BEGIN
    INSERT INTO tallies VALUES (new.folder_key, new.state, COALESCE(new.ends_by, ''), COALESCE(new.service, ''), new.paused,
                                COALESCE(new.problem_code, ''), 1, new.bytes - new.bytes_sent)
      ON CONFLICT DO UPDATE SET recordings = recordings + 1, bytes_left = bytes_left + excluded.bytes_left;
  END;
  CREATE TRIGGER tally_changed
  AFTER UPDATE OF folder_key, state, ends_by, service, paused, problem_code, bytes, bytes_sent ON recordings BEGIN
    UPDATE tallies SET recordings = recordings - 1, bytes_left = bytes_left - (old.bytes - old.bytes_sent)
      WHERE folder_key = old.folder_key AND state = old.state AND ends_by = COALESCE(old.ends_by, '')
        AND service = COALESCE(old.service, '') AND paused = old.paused
        AND problem_code = COALESCE(old.problem_code, '');
    INSERT INTO tallies VALUES (new.folder_key, new.state, COALESCE(new.ends_by, ''), COALESCE(new.service, ''), new.paused,
                                COALESCE(new.problem_code, ''), 1, new.bytes - new.bytes_sent)
      ON CONFLICT DO UPDATE SET recordings = recordings + 1, bytes_left = bytes_left + excluded.bytes_left;
  END;
  CREATE TRIGGER tally_removed AFTER DELETE ON recordings BEGIN
    UPDATE tallies SET recordings = recordings - 1, bytes_left = bytes_left - (old.bytes - old.bytes_sent)
      WHERE folder_key = old.folder_key AND state = old.state AND ends_by = COALESCE(old.ends_by, '')
        AND service = COALESCE(old.service, '') AND paused = old.paused
        AND problem_code = COALESCE(old.problem_code, '');
  END;
  -- A list filtered by standing or time finds its rows in this index. Sluice reads whole rows only for the shown page.
  DROP INDEX recordings_by_found;
  CREATE INDEX recordings_by_found ON recordings(found_at, id, state, ends_by, service, paused, bytes);
  `,
  `
  -- Events of the service, in order of arrival. The id is unique, because an event may arrive more than once (§6.2).
  CREATE TABLE webhook_events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    session_id TEXT,
    received_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX webhook_events_by_session ON webhook_events(session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX webhook_events_by_time ON webhook_events(received_at);
  `,
  `
  -- Activity that changes no recording's state: holds, conditions of the station, folders, settings. State changes are
  -- in the timeline. The index timeline_told has only those that the activity list shows.
  CREATE TABLE activity (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    recording_id INTEGER REFERENCES recordings(id) ON DELETE CASCADE,
    session_id TEXT,
    request_id TEXT
  ) STRICT;
  CREATE INDEX activity_by_time ON activity(at, id);
  CREATE INDEX activity_by_recording ON activity(recording_id, id);
  CREATE INDEX timeline_told ON timeline(at, id, from_state, to_state)
    WHERE (from_state IS NULL OR (from_state <> to_state AND (to_state IN ('processing', 'processed', 'failed', 'gone')
      OR from_state IN ('gone', 'failed', 'uploading', 'completing') AND to_state IN ('growing', 'queued', 'ready'))));
  -- timeline_trouble has only the state changes that mean trouble: a few among hundreds of thousands.
  CREATE INDEX timeline_trouble ON timeline(at, id)
    WHERE (from_state <> to_state AND (to_state IN ('failed', 'gone')
      OR from_state IN ('uploading', 'completing') AND to_state IN ('growing', 'queued', 'ready')));
  `,
  `
  -- Bytes sent in each hour, and the seconds in which Sluice was sending. Hours count from 1970. Sluice keeps the rows
  -- for four weeks. The first rows come from the table throughput, which covers the last day.
  CREATE TABLE sent_hours (
    hour INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL,
    seconds REAL NOT NULL,
    -- The lowest upload limit in this hour, in bytes per second.
    rate_limit REAL
  ) STRICT;
  INSERT INTO sent_hours (hour, bytes, seconds)
    SELECT bucket / 360, SUM(bytes), COUNT(*) * 10.0 FROM throughput WHERE bytes > 0 GROUP BY 1;
  -- Bytes found in each hour, maintained by triggers, because the forecasts read these sums several times a minute.
  CREATE TABLE recorded_hours (
    folder_key TEXT NOT NULL,
    hour INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (folder_key, hour)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO recorded_hours SELECT folder_key, found_at / 3600000, SUM(bytes) FROM recordings
    WHERE found_at > (SELECT MAX(found_at) FROM recordings) - 2419200000 GROUP BY 1, 2;
  CREATE TRIGGER recorded_added AFTER INSERT ON recordings BEGIN
    INSERT INTO recorded_hours VALUES (new.folder_key, new.found_at / 3600000, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER recorded_changed AFTER UPDATE OF folder_key, bytes ON recordings
  WHEN old.folder_key <> new.folder_key OR old.bytes <> new.bytes BEGIN
    UPDATE recorded_hours SET bytes = bytes - old.bytes
      WHERE folder_key = old.folder_key AND hour = old.found_at / 3600000;
    INSERT INTO recorded_hours VALUES (new.folder_key, new.found_at / 3600000, new.bytes)
      ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
  END;
  `,
  `
  -- Recordings found in each quarter of an hour by state, maintained by triggers like the tallies. Sums over quarters
  -- give the nights in any time zone and across clock changes. '' means NULL.
  CREATE TABLE night_tallies (
    quarter INTEGER NOT NULL,
    folder_key TEXT NOT NULL,
    state TEXT NOT NULL,
    ends_by TEXT NOT NULL,
    service TEXT NOT NULL,
    paused INTEGER NOT NULL,
    recordings INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (quarter, folder_key, state, ends_by, service, paused)
  ) STRICT, WITHOUT ROWID;
  -- Sluice learns the habit of a folder only from the nights of that folder, and this index finds them.
  CREATE INDEX night_tallies_by_folder ON night_tallies(folder_key, quarter, recordings);
  INSERT INTO night_tallies
    SELECT found_at / 900000, folder_key, state, COALESCE(ends_by, ''), COALESCE(service, ''), paused, COUNT(*), SUM(bytes)
    FROM recordings GROUP BY 1, 2, 3, 4, 5, 6;
  CREATE TRIGGER night_tally_added AFTER INSERT ON recordings BEGIN
    INSERT INTO night_tallies VALUES (new.found_at / 900000, new.folder_key, new.state, COALESCE(new.ends_by, ''),
                                      COALESCE(new.service, ''), new.paused, 1, new.bytes)
      ON CONFLICT DO UPDATE SET recordings = recordings + 1, bytes = bytes + excluded.bytes;
  END;
  CREATE TRIGGER night_tally_changed
  AFTER UPDATE OF found_at, folder_key, state, ends_by, service, paused, bytes ON recordings BEGIN
    UPDATE night_tallies SET recordings = recordings - 1, bytes = bytes - old.bytes
      WHERE quarter = old.found_at / 900000 AND folder_key = old.folder_key AND state = old.state
        AND ends_by = COALESCE(old.ends_by, '') AND service = COALESCE(old.service, '') AND paused = old.paused;
    INSERT INTO night_tallies VALUES (new.found_at / 900000, new.folder_key, new.state, COALESCE(new.ends_by, ''),
                                      COALESCE(new.service, ''), new.paused, 1, new.bytes)
      ON CONFLICT DO UPDATE SET recordings = recordings + 1, bytes = bytes + excluded.bytes;
    -- A recording passes through eight states. Without this DELETE, empty rows would outnumber the rows with counts.
    DELETE FROM night_tallies
      WHERE quarter = old.found_at / 900000 AND folder_key = old.folder_key AND state = old.state
        AND ends_by = COALESCE(old.ends_by, '') AND service = COALESCE(old.service, '') AND paused = old.paused
        AND recordings = 0;
  END;
  CREATE TRIGGER night_tally_removed AFTER DELETE ON recordings BEGIN
    UPDATE night_tallies SET recordings = recordings - 1, bytes = bytes - old.bytes
      WHERE quarter = old.found_at / 900000 AND folder_key = old.folder_key AND state = old.state
        AND ends_by = COALESCE(old.ends_by, '') AND service = COALESCE(old.service, '') AND paused = old.paused;
  END;
  -- When Sluice watched a folder that was present. A night without recordings counts for the folder's habit only if
  -- Sluice watched the folder.
  CREATE TABLE watched_quarters (
    folder_key TEXT NOT NULL,
    quarter INTEGER NOT NULL,
    PRIMARY KEY (folder_key, quarter)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX watched_quarters_by_time ON watched_quarters(quarter);
  -- Nights in which Sluice reported that a folder was silent, by the day on which they began. dismissed: 1 if a user
  -- dismissed the report.
  CREATE TABLE silent_nights (
    night TEXT NOT NULL,
    folder_key TEXT NOT NULL,
    dismissed INTEGER NOT NULL,
    PRIMARY KEY (night, folder_key)
  ) STRICT, WITHOUT ROWID;
  `,
]
