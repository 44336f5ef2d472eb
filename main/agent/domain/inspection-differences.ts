import type { Inspection } from '../../../shared/status/inspection.ts'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'

/** Smaller differences are ignored: services round, and may count the last message differently. */
const MIN_DIFFERENCE_S = 1
const MIN_DIFFERENCE_SHARE = 0.01
const MAX_NAMED = 3

/** §2.2: the service has its own channel names, so only letters and digits are compared. */
const normalise = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '.')
    .replace(/^\.+|\.+$/g, '')

const listNames = (names: readonly string[]): string => {
  const more = names.length - MAX_NAMED
  const shown = names.slice(0, MAX_NAMED).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/**
 * The differences between the service's result and this PC's inspection. Empty until the service has processed the
 * recording.
 */
export const inspectionDifferences = (
  inspection: Inspection | null,
  session: SessionSummary | null,
): readonly string[] => {
  if (inspection === null || session?.status !== 'processed') return []
  return [...durationDifference(inspection, session), ...channelDifferences(inspection, session)]
}

const durationDifference = (here: Inspection, there: SessionSummary): string[] => {
  if (here.durationS === null || there.durationS === null) return []
  const differenceS = Math.abs(here.durationS - there.durationS)
  if (differenceS <= Math.max(MIN_DIFFERENCE_S, here.durationS * MIN_DIFFERENCE_SHARE)) return []
  return [
    `The service reports ${there.durationS.toFixed(1)} s. The file holds ${here.durationS.toFixed(1)} s.`,
  ]
}

const channelDifferences = (here: Inspection, there: SessionSummary): string[] => {
  if (here.channels.length === 0) return []
  const theirs = new Set(there.channels.map(normalise))
  const missing = here.channels.map(({ name }) => name).filter((name) => !theirs.has(normalise(name)))
  if (missing.length === 0) return []
  // No name matches: the service names channels in its own way, so only their number can be compared.
  if (missing.length < here.channels.length) return [`The service did not find ${listNames(missing)}.`]
  if (here.channels.length <= there.channels.length) return []
  return [
    `The service found ${plural(there.channels.length, 'channel')}. The file holds ${here.channels.length}.`,
  ]
}
