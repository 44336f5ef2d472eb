import { type Finding, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import type { UpdateStatus } from '../../../shared/status/update-status.ts'
import { updateWords } from '../../../shared/words/update-words.ts'

/** Sluice reads the feed once an hour, so a week without a valid feed is more than a short outage. */
const STALE_AFTER_MS = 7 * 24 * 3_600_000

/** Judges the updates of a station that has a feed. */
export const judgeUpdates = (update: UpdateStatus, nowMs: number): Omit<Finding, 'subject'> => {
  const { lastResult, checkedAt } = update
  const words = updateWords(update)
  if (lastResult !== null && !lastResult.ok)
    return warn(
      `${words} ${lastResult.reason ?? ''}`.trim(),
      'Install the version by hand. Sluice retries once a day.',
    )
  if (checkedAt === null) return skip(`${words} Sluice has not read the update feed yet.`)
  if (nowMs - Date.parse(checkedAt) > STALE_AFTER_MS)
    return warn(
      `${words} Sluice last read a valid update feed at ${checkedAt}.`,
      'Check the URL and the web server of the feed, or sign the feed again: npm run feed -- FOLDER --sign-only',
    )
  return pass(words)
}
