import type { Inspection } from '../../../shared/status/inspection.ts'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'

/** Smaller differences are ignored: services round, and may count the last message differently. */
const MIN_DIFFERENCE_S = 1
const MIN_DIFFERENCE_SHARE = 0.01
const MAX_NAMED = 3

/** §2.2: the service may write channel names differently, so upper case and the kind of separator are ignored. */
const normalise = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '.')
    .replace(/^\.+|\.+$/g, '')

const listNames = (names: readonly string[]): string => {
  const omittedCount = names.length - MAX_NAMED
  const shown = names.slice(0, MAX_NAMED).join(', ')
  return omittedCount > 0 ? `${shown} and ${omittedCount} more` : shown
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

const durationDifference = (inspection: Inspection, session: SessionSummary): string[] => {
  if (inspection.durationS === null || session.durationS === null) return []
  const differenceS = Math.abs(inspection.durationS - session.durationS)
  if (differenceS <= Math.max(MIN_DIFFERENCE_S, inspection.durationS * MIN_DIFFERENCE_SHARE)) return []
  return [
    `The service reports ${session.durationS.toFixed(1)} s. The file holds ${inspection.durationS.toFixed(1)} s.`,
  ]
}

const channelDifferences = (inspection: Inspection, session: SessionSummary): string[] => {
  if (inspection.channels.length === 0) return []
  const sessionChannels = new Set(session.channels.map(normalise))
  const missing = inspection.channels
    .map(({ name }) => name)
    .filter((name) => !sessionChannels.has(normalise(name)))
  if (missing.length === 0) return []
  if (missing.length < inspection.channels.length) return [`The service did not find ${listNames(missing)}.`]
  // No name matches: the service has its own names, so only the number of channels can be compared.
  if (inspection.channels.length <= session.channels.length) return []
  return [
    `The service found ${plural(session.channels.length, 'channel')}. The file holds ${inspection.channels.length}.`,
  ]
}
