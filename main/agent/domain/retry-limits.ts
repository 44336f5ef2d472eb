/**
 * The retry limits and retry delays of the agent. `retry-policy.ts` and the stages decide with these constants. One
 * exception: `removal-rules.ts` has the delays for files that are due for removal but may not be removed yet. After
 * every wait, Sluice tries again by itself. A user can make Sluice try sooner.
 */

/* ---- backoff ---- */

export const FIRST_RETRY_DELAY_MS = 1_000
export const LONGEST_RETRY_DELAY_MS = 5 * 60_000
/** For a file that another program locks: a virus scanner or a backup soon releases it. */
export const LONGEST_FILE_RETRY_DELAY_MS = 30_000
/**
 * These retries take about ten minutes. Then the recording needs attention, because no virus scanner holds a file for
 * longer. Each retry may read gigabytes, so Sluice retries less often from then on.
 */
export const FREQUENT_FILE_RETRIES = 30
/**
 * These checks for a marker file take about an hour. Then the recording needs attention. The marker may never come, and
 * each check writes the journal, so Sluice checks less often from then on.
 */
export const FREQUENT_MARKER_CHECKS = 200
/**
 * The longest delay between two probes of a condition, unless the service or the storage requests a longer one. It also
 * limits the backoff of a single recording after failures that may concern the service or the storage as a whole.
 */
export const LONGEST_PROBE_DELAY_MS = 60_000
/** A longer Retry-After (§7) is a mistake of the service, so Sluice waits only this long. */
export const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000
/** The delay after a refusal. Sluice cannot notice when the service fixes the cause, so it retries every hour. */
export const REFUSED_RETRY_DELAY_MS = 3_600_000
/**
 * Some refusals, such as those of the storage, may end soon, so Sluice first retries with backoff. After this many
 * failures in a row, it retries once an hour.
 */
export const FREQUENT_REFUSAL_RETRIES = 6

/* ---- when a failure is shown, and when it concerns the whole station ---- */

/**
 * One lost connection, timeout or 5xx concerns one request. This many in a row, over all recordings, concern the
 * service or the storage.
 */
export const STATION_FAILURE_STREAK = 3
export const SHOWN_FROM_ATTEMPT = 3
/**
 * If the service or the storage requests a longer wait than this, Sluice shows the reason from the first failure on.
 */
export const LONGEST_HIDDEN_WAIT_MS = 30_000
/**
 * If the service answers no request for this long, it counts as unreachable. The pending requests still wait for their
 * answers.
 */
export const UNANSWERED_IS_UNREACHABLE_AFTER_MS = 10_000
/** This many attempts take about an hour. The problem then needs attention, although Sluice keeps retrying. */
export const ATTEMPTS_IN_AN_HOUR = 20

/* ---- sessions ---- */

/** §8 keeps idempotency keys for 24 hours. The last half hour is a margin for slow answers. */
export const KEY_LIFETIME_MS = 23.5 * 3_600_000
/** The lifetime of a key whose age Sluice knows only by this PC's clock, which a user may have set since. */
export const UNCONFIRMED_KEY_LIFETIME_MS = 12 * 3_600_000
/** These retries take about an hour. Then the opener gives up an idempotency key that the service reports as in use. */
export const KEY_CONFLICT_RETRIES = 20
/**
 * These retries take a few seconds. They help if the answer was damaged on the way: with the same key, the service
 * sends its original answer again (§8). Then the opener searches for a session that the service may have created.
 */
export const UNREADABLE_CREATION_RETRIES = 3
/** These retries take about an hour. Then the completer starts a new session, because the guessed ETag may be wrong. */
export const GUESSED_ETAG_RETRIES = 20
export const DENIALS_TO_BELIEVE = 3
/**
 * A lagging replica answers "not found" for a session until it catches up. If Sluice believes the replica too early, it
 * sends bytes twice or, after the last part, creates a second session. For a complete session, there is no hurry.
 */
export const BELIEVE_DENIAL_AFTER_MS = { uploading: 5_000, completing: 20_000, complete: 5 * 60_000 } as const
/** The interval between polls of a complete session whose status is `uploading` again. */
export const REOPENED_RETRY_DELAY_MS = 10_000
/** The interval between checks whether a session is deleted, if the service did not answer the deletion. */
export const DELETION_CHECK_DELAY_MS = 10_000
/** If the session still exists after this time, Sluice assumes that the service did not delete it. */
export const DELETION_UNDONE_AFTER_MS = 10 * 60_000
/**
 * The time limit of the poll before a removal. It doubles with each poll without an answer, up to about five minutes.
 */
export const REMOVAL_POLL_TIMEOUT_MS = 20_000
export const REMOVAL_POLL_DOUBLINGS = 4
/** After this many reopenings, Sluice shows a problem and retries once an hour. */
export const REOPENED_SESSION_RETRIES = 3
/** After this many checksum mismatches, Sluice shows a problem. */
export const CHECKSUM_MISMATCH_RETRIES = 3
export const FIRST_MISMATCH_RETRY_DELAY_MS = 5_000
/** The delay of a recording while Sluice uploads another recording with the same content. */
export const SAME_CONTENT_RETRY_DELAY_MS = 2_000
/**
 * These retries take about a minute. If the session with the same content still seems unfinished then, or its upload
 * still fails, Sluice uploads this recording.
 */
export const SAME_CONTENT_RETRIES = 6
/**
 * Sluice searches for a session even if the recording probably has none. After this many failed retries of the search,
 * which take about four minutes, Sluice uploads the recording.
 */
export const PRECAUTION_RETRIES = 10
/** After this many changes of a session's part size within an hour, Sluice shows a problem and retries once an hour. */
export const PART_SIZE_CHANGES = 3
export const PART_SIZE_CHANGES_WITHIN_MS = 3_600_000
/**
 * If the list of sessions fails this many times in a row, the follower polls each session, because perhaps only the
 * list is broken.
 */
export const LIST_RETRIES = 3
export const LONGEST_LIST_RETRY_DELAY_MS = 15_000
/** The delay for a list that lags behind its sessions, or that the key may not read. */
export const STALE_LIST_RETRY_DELAY_MS = 10 * 60_000
/** The longest delay before Sluice asks again whether a recording whose file vanished is safe. */
export const LONGEST_VANISHED_RETRY_DELAY_MS = 3_600_000

/* ---- parts and files ---- */

/**
 * A rename may fail because its target name is taken, although a check right after the rename finds the name free.
 * Sluice then tries again.
 */
export const RENAME_ATTEMPTS = 3

/** How often in a row an upload fetches new URLs before it gives up. */
export const URL_REFRESH_RETRIES = 5
/** For a longer delay, the upload closes the file, and the recording waits in the journal. */
export const MAX_RETRY_DELAY_WITH_OPEN_FILE_MS = 20_000
/** Within this time, the watcher usually finds out whether the file is gone or its folder is offline. */
export const VANISHED_FILE_RETRY_DELAY_MS = 10_000
export const AWAY_DRIVE_RETRY_DELAY_MS = 10_000
/**
 * Each attempt to restore a name changes the folder, each change starts a scan, and each scan starts an attempt. The
 * delay breaks this loop.
 */
export const ORIGINAL_NAME_RETRY_DELAY_MS = 3_600_000
/** The list of programs that use a file may grow between two calls of the Windows API. Sluice then calls again. */
export const FILE_USERS_RETRIES = 5

/* ---- the agent itself ---- */

/**
 * The retries take two minutes in all. Another program may lock the journal for a minute. Without retries, Sluice
 * would lose the service's answers of that minute and repeat the requests.
 */
export const COMMIT_RETRY_DELAY_MS = 250
export const COMMIT_RETRIES = 480
/** These retries take two seconds in all. */
export const COMMIT_RETRIES_AT_EXIT = 8
/** The delay after a bug in a step of a stage. */
export const FAILED_STEP_RETRY_DELAY_MS = 5_000
/**
 * The delay after a folder could not be watched. Meanwhile, a user may raise the system's limit for watched folders.
 */
export const FOLDER_EVENTS_RETRY_DELAY_MS = 60_000
/** The delay after a bug in the work on one recording. */
export const FAILED_JOB_RETRY_DELAY_MS = 10_000
export const FULL_DISK_RETRY_DELAY_MS = 2_000
/**
 * If a folder puts deviating recordings on hold, each of its recordings waits for its inspection. The inspector ends
 * this wait. With a short delay, many waiting recordings would be due again and again, and keep others from being
 * hashed.
 */
export const UNINSPECTED_RETRY_DELAY_MS = 60_000
/** A locked file or a missing drive is rarely available again within seconds. */
export const INSPECTION_RETRY_DELAY_MS = 60_000

/* ---- alerts ---- */

export const LONGEST_ALERT_RETRY_DELAY_MS = 15 * 60_000
export const LONGEST_ALERT_RETRY_AFTER_MS = 3_600_000
/** An older alert no longer describes the station. */
export const ALERT_RETRIES_END_AFTER_MS = 24 * 3_600_000

/* ---- updates ---- */

export const FEED_CHECK_INTERVAL_MS = 3_600_000
/** An unreachable feed is often back soon. */
export const FEED_RETRY_DELAY_MS = 10 * 60_000
/** The delay after an update that failed, before Sluice installs the same version again. */
export const FAILED_UPDATE_RETRY_DELAY_MS = 24 * 3_600_000
/** An installer that has not replaced this program after this time has failed. */
export const INSTALLER_TIMEOUT_MS = 15 * 60_000
/** A part that takes longer than this is sent again after the update. */
export const PARTS_FINISH_TIMEOUT_MS = 10 * 60_000
/** A new version that runs this long counts as healthy. */
export const HEALTHY_AFTER_MS = 120_000
