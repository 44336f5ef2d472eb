/**
 * The retry limits and delays of the agent, for `retry-policy.ts` and the stages. The delays before a removal are in
 * `removal-rules.ts` instead. After every wait, Sluice retries by itself. If a user asks, it retries sooner.
 */

/* ---- backoff ---- */

export const FIRST_RETRY_DELAY_MS = 1_000
export const LONGEST_RETRY_DELAY_MS = 5 * 60_000
/** For a file that another program locks: a virus scanner or a backup soon releases it. */
export const LONGEST_FILE_RETRY_DELAY_MS = 30_000
/**
 * About ten minutes. No virus scanner locks a file for longer, so after these retries the recording needs attention.
 * Later retries are rarer, because each may read gigabytes.
 */
export const FREQUENT_FILE_RETRIES = 30
/**
 * About an hour. The marker file may never come, so after these checks the recording needs attention. Later checks are
 * rarer, because each writes to the journal.
 */
export const FREQUENT_MARKER_CHECKS = 200
/**
 * The longest delay between two probes, unless the service or the storage requests a longer one. Also limits the
 * backoff of a recording whose failure may concern all recordings.
 */
export const LONGEST_PROBE_DELAY_MS = 60_000
/** A longer Retry-After (§7) is a mistake of the service. */
export const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
/** The delay after a refusal. Sluice cannot notice that the cause is fixed, so it retries every hour. */
export const REFUSED_RETRY_DELAY_MS = 3_600_000
/**
 * Some refusals may end soon, for example those of the storage. Sluice first retries them with backoff. After this many
 * failures in a row, it retries once an hour.
 */
export const FREQUENT_REFUSAL_RETRIES = 6

/* ---- when a failure is shown, and when it concerns the whole station ---- */

/**
 * A single lost connection, timeout or 5xx concerns one request. This many in a row concern the service or the storage.
 */
export const STATION_FAILURE_STREAK = 3
export const SHOWN_FROM_ATTEMPT = 3
/** If the service or the storage requests a longer wait, Sluice shows the reason at the first failure. */
export const LONGEST_HIDDEN_WAIT_MS = 30_000
/**
 * If the service answers nothing for this long, it counts as unreachable, although requests still wait for their
 * answers.
 */
export const UNANSWERED_IS_UNREACHABLE_AFTER_MS = 10_000
/** About an hour. After this many attempts, the problem needs attention, although Sluice keeps retrying. */
export const ATTEMPTS_IN_AN_HOUR = 20

/* ---- sessions ---- */

/** The service keeps idempotency keys for 24 hours (§8). Half an hour is a margin for slow answers. */
export const KEY_LIFETIME_MS = 23.5 * 3_600_000
/** For a key whose age Sluice knows only from this PC's clock. A user may have changed that clock. */
export const UNCONFIRMED_KEY_LIFETIME_MS = 12 * 3_600_000
/** About an hour. Then the opener gives up an idempotency key that the service still reports as in use. */
export const KEY_CONFLICT_RETRIES = 20
/**
 * A few seconds. The answer may have been damaged on the way, and the service repeats it for the same key (§8). After
 * these retries, the opener searches for the session.
 */
export const UNREADABLE_CREATION_RETRIES = 3
/** About an hour. Then the completer starts a new session, because a guessed ETag may be wrong. */
export const GUESSED_ETAG_RETRIES = 20
export const DENIALS_TO_BELIEVE = 3
/**
 * A lagging replica answers "not found" for a while. If Sluice believes this answer too early, it sends bytes twice or
 * creates a second session. A complete session is not urgent, so its delay is the longest.
 */
export const BELIEVE_DENIAL_AFTER_MS = { uploading: 5_000, completing: 20_000, complete: 5 * 60_000 } as const
/** The interval between polls of a session that was complete and is `uploading` again. */
export const REOPENED_RETRY_DELAY_MS = 10_000
/** The interval between checks whether an unanswered deletion has succeeded. */
export const DELETION_CHECK_DELAY_MS = 10_000
/** If the session still exists after this time, the deletion has failed. */
export const DELETION_UNDONE_AFTER_MS = 10 * 60_000
/** The time limit of the poll before a removal. It doubles after each unanswered poll, up to about five minutes. */
export const REMOVAL_POLL_TIMEOUT_MS = 20_000
export const REMOVAL_POLL_DOUBLINGS = 4
/** After this many reopenings, Sluice shows a problem and retries once an hour. */
export const REOPENED_SESSION_RETRIES = 3
/** After this many checksum mismatches, Sluice shows a problem. */
export const CHECKSUM_MISMATCH_RETRIES = 3
export const FIRST_MISMATCH_RETRY_DELAY_MS = 5_000
/** The delay while Sluice uploads another recording with the same content. */
export const SAME_CONTENT_RETRY_DELAY_MS = 2_000
/** About a minute. If the other recording is still not uploaded, Sluice uploads this one. */
export const SAME_CONTENT_RETRIES = 6
/**
 * About four minutes. After this many failed searches for a session that probably does not exist, Sluice uploads the
 * recording.
 */
export const PRECAUTION_RETRIES = 10
/** If a session's part size changes this often within an hour, Sluice shows a problem and retries once an hour. */
export const PART_SIZE_CHANGES = 3
export const PART_SIZE_CHANGES_WITHIN_MS = 3_600_000
/** After this many failures in a row, the follower polls each session: perhaps only the list is broken. */
export const LIST_RETRIES = 3
export const LONGEST_LIST_RETRY_DELAY_MS = 15_000
/** The delay before Sluice uses the list of sessions again, if the list was out of date or the key may not read it. */
export const STALE_LIST_RETRY_DELAY_MS = 10 * 60_000
/** For a recording with a vanished file: the longest delay before Sluice checks again whether the recording is safe. */
export const LONGEST_VANISHED_RETRY_DELAY_MS = 3_600_000

/* ---- parts and files ---- */

/** For a rename that fails because the target name is taken, although a check finds the name free. */
export const RENAME_ATTEMPTS = 3

/** After this many new URLs in a row, an upload gives up. */
export const URL_REFRESH_RETRIES = 5
/** Before a longer delay, the upload closes the file, and the recording waits in the journal. */
export const MAX_RETRY_DELAY_WITH_OPEN_FILE_MS = 20_000
/** After this delay, the watcher usually knows whether the file is gone or its folder is offline. */
export const VANISHED_FILE_RETRY_DELAY_MS = 10_000
export const AWAY_DRIVE_RETRY_DELAY_MS = 10_000
/**
 * Breaks a loop: restoring a name changes the folder, the change starts a scan, and the scan restores the name again.
 */
export const ORIGINAL_NAME_RETRY_DELAY_MS = 3_600_000
/** Retries if the list of programs that use a file grows between two calls of the Windows API. */
export const FILE_USERS_RETRIES = 5

/* ---- the agent itself ---- */

/**
 * Two minutes in all. Another program may lock the journal for a minute. Without retries, Sluice would lose the
 * service's answers of that minute and have to repeat the requests.
 */
export const COMMIT_RETRY_DELAY_MS = 250
export const COMMIT_RETRIES = 480
/** Two seconds in all. */
export const COMMIT_RETRIES_AT_EXIT = 8
/** The delay after a bug in a step of a stage. */
export const FAILED_STEP_RETRY_DELAY_MS = 5_000
/**
 * The delay before Sluice tries again to watch a folder. Meanwhile, a user may raise the system's limit of watched
 * folders.
 */
export const FOLDER_EVENTS_RETRY_DELAY_MS = 60_000
/** The delay after a bug in the work on one recording. */
export const FAILED_JOB_RETRY_DELAY_MS = 10_000
export const FULL_DISK_RETRY_DELAY_MS = 2_000
/**
 * In a folder with `on_deviation: hold`, a recording waits this long for its inspection. The inspector ends the wait
 * early. With a short delay, waiting recordings would be due again and again, and keep others from being hashed.
 */
export const UNINSPECTED_RETRY_DELAY_MS = 60_000
/** A locked file or a missing drive is rarely available again within seconds. */
export const INSPECTION_RETRY_DELAY_MS = 60_000

/* ---- alerts ---- */

export const LONGEST_ALERT_RETRY_DELAY_MS = 15 * 60_000
export const LONGEST_ALERT_RETRY_AFTER_MS = 3_600_000
/** Older alerts no longer describe the station. */
export const ALERT_RETRIES_END_AFTER_MS = 24 * 3_600_000

/* ---- updates ---- */

export const FEED_CHECK_INTERVAL_MS = 3_600_000
/** An unreachable feed is often back soon. */
export const FEED_RETRY_DELAY_MS = 10 * 60_000
/** The delay before Sluice retries a failed update to the same version. */
export const FAILED_UPDATE_RETRY_DELAY_MS = 24 * 3_600_000
/** If the program is not replaced after this time, the installer has failed. */
export const INSTALLER_TIMEOUT_MS = 15 * 60_000
/** A part that takes longer is sent again after the update. */
export const PARTS_FINISH_TIMEOUT_MS = 10 * 60_000
/** A new version that runs this long counts as healthy. */
export const HEALTHY_AFTER_MS = 120_000
