import type { Throughput } from '../status/status.ts'
import { formatAgo, formatBytes, formatDuration, formatRate, plural } from '../words/format.ts'
import type { KeyVerdict } from './key-verdict.ts'
import type { JournalHealth } from './support.ts'

/** The result of one check. `skip`: the check could not or need not run here. */
export type Finding = {
  readonly subject: string
  readonly verdict: 'pass' | 'warn' | 'fail' | 'skip'
  readonly sentence: string
  /** The next step for the user. */
  readonly next: string | null
}

type Verdict = Omit<Finding, 'subject'>

export const pass = (sentence: string): Verdict => ({ verdict: 'pass', sentence, next: null })
export const skip = (sentence: string): Verdict => ({ verdict: 'skip', sentence, next: null })
export const warn = (sentence: string, next: string | null): Verdict => ({ verdict: 'warn', sentence, next })
export const fail = (sentence: string, next: string): Verdict => ({ verdict: 'fail', sentence, next })

const CLOCK_TOLERANCE_MS = 60_000

export const judgeClock = (offsetMs: number | null): Verdict => {
  if (offsetMs === null) return skip('Not compared: the service did not answer.')
  const seconds = Math.round(Math.abs(offsetMs) / 1000)
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS)
    return pass(`Within ${plural(Math.max(1, seconds), 'second')} of the service’s clock.`)
  return warn(
    `${formatDuration(seconds)} ${offsetMs > 0 ? 'behind' : 'ahead of'} the service’s clock.`,
    'Sluice corrects for this when it uploads, but set the PC’s clock anyway.',
  )
}

const NEW_KEY = 'Create a key in the service’s console and enter it here.'

export const judgeKey = (verdict: KeyVerdict): Verdict => {
  switch (verdict.kind) {
    case 'write':
      return pass('Reachable. The key can read and upload.')
    case 'read':
      return fail('Reachable, but the key is read-only.', 'Use a key with write permission.')
    case 'wrong':
      return fail('Reachable, but the key is wrong or has been revoked.', NEW_KEY)
    case 'unreadable-answer':
      return fail(
        'Something answers at the address, but not the service.',
        'Check the address. A sign-in page or a proxy may answer instead.',
      )
    case 'unreachable':
      return fail(`Not reachable. ${verdict.detail}`, 'Check the network, the proxy and the address.')
  }
}

export const judgeJournal = (journal: JournalHealth, nowMs: number): Verdict => {
  if (!journal.intact)
    return fail(`Damaged (${journal.trouble}).`, 'Restart Sluice: it restores the last backup.')
  const backupText =
    journal.backedUpAt === null ? 'no backup yet' : `last backup ${formatAgo(journal.backedUpAt, nowMs)}`
  return pass(`Intact; ${formatBytes(journal.bytes)}, ${backupText}.`)
}

/** The contract has no test upload, so this measures real uploads. */
export const judgeThroughput = (last10Minutes: Throughput, lastDay: Throughput): Verdict => {
  const averageRate = ({ bytes, bucketSeconds }: Throughput) => {
    const busyBuckets = bytes.filter((each) => each > 0)
    return busyBuckets.length === 0
      ? null
      : busyBuckets.reduce((sum, each) => sum + each, 0) / (busyBuckets.length * bucketSeconds)
  }
  const recent = averageRate(last10Minutes)
  if (recent !== null) return pass(`${formatRate(recent)} in the last 10 minutes.`)
  const earlier = averageRate(lastDay)
  if (earlier !== null) return pass(`At least ${formatRate(earlier)} in the last 24 hours.`)
  return skip('Not measured: nothing was uploaded in the last 24 hours.')
}

const LOW_BYTES = 5_000_000_000
const CRITICAL_BYTES = 500_000_000

export const judgeFreeSpace = (freeBytes: number | null): Verdict => {
  if (freeBytes === null) return skip('Unknown: the system does not report it.')
  if (freeBytes < CRITICAL_BYTES)
    return fail(`Only ${formatBytes(freeBytes)} free.`, 'Free up space now: recordings may be cut short.')
  if (freeBytes < LOW_BYTES) return warn(`${formatBytes(freeBytes)} free.`, 'Free up space soon.')
  return pass(`${formatBytes(freeBytes)} free.`)
}

export type SleepPolicy =
  | { readonly kind: 'never' }
  | { readonly kind: 'after'; readonly minutes: number }
  | { readonly kind: 'unknown' }

/** Only the app keeps the PC awake, and the agent may run without the app. `appKeepsAwake` is the app's setting. */
export const judgeSleep = (policy: SleepPolicy, appKeepsAwake: boolean): Verdict => {
  switch (policy.kind) {
    case 'never':
      return pass('The PC never sleeps on mains power.')
    case 'after':
      return warn(
        `The PC sleeps after ${formatDuration(policy.minutes * 60)} without use.`,
        appKeepsAwake
          ? 'While the app runs, it keeps the PC awake during uploads. A sleeping PC records and uploads nothing: turn sleep off.'
          : 'A sleeping PC records and uploads nothing: turn sleep off.',
      )
    case 'unknown':
      return skip('Unknown on this system. Make sure the PC does not sleep at night.')
  }
}

export type InotifyLimits = { readonly watches: number; readonly instances: number }

/** `needed`: one watch for each watched folder and each of its subfolders. */
export const judgeInotify = (limits: InotifyLimits | null, needed: number | null): Verdict => {
  if (limits === null) return skip('Unknown: the system does not report it.')
  if (needed === null)
    return skip(`Up to ${plural(limits.watches, 'watch', 'watches')}. The folders were not counted.`)
  const usageText = `${plural(needed, 'watch', 'watches')} needed, ${plural(limits.watches, 'is', 'are')} allowed.`
  const raiseCommand = `sysctl fs.inotify.max_user_watches=${Math.max(524_288, needed * 4)}`
  if (needed >= limits.watches)
    return fail(usageText, `Only the regular scan finds new files. Raise the limit: ${raiseCommand}`)
  if (needed * 2 >= limits.watches)
    return warn(usageText, `Raise the limit before it is reached: ${raiseCommand}`)
  return pass(usageText)
}
