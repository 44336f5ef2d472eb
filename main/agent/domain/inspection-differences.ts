import type { SessionIssue } from '../../../shared/contract/control-api.ts'
import type { Inspection } from '../../../shared/status/inspection.ts'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { formatDuration, plural } from '../../../shared/words/format.ts'
import { isPartial } from './find-deviations.ts'

/**
 * Smaller differences in duration mean nothing: services round durations, and may count the last message differently.
 */
const MIN_DIFFERENCE_S = 1
const MIN_DIFFERENCE_SHARE = 0.01
const MAX_NAMED = 3

/** §2.2: the service may write channel names differently, so Sluice ignores differences in case and separators. */
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

/** How the service's result differs from this PC's inspection. Empty until the service has finished processing. */
export const inspectionDifferences = (
  inspection: Inspection | null,
  session: SessionSummary | null,
): readonly string[] => {
  if (inspection === null || session === null || inspection.format === 'other') return []
  switch (session.status) {
    case 'processed':
      return [
        ...durationDifference(inspection, session),
        ...channelDifferences(inspection, session),
        ...issueDifferences(inspection, session),
      ]
    case 'failed':
      return issueDifferences(inspection, session)
    default:
      return []
  }
}

/**
 * An error, or a warning about a channel. Other warnings may be about the recorder's clock, which this PC does not
 * check.
 */
const isAboutContent = ({ severity, channel }: SessionIssue): boolean =>
  severity === 'error' || (severity === 'warning' && channel !== undefined)

const issueDifferences = (
  { completeness, warnings }: Inspection,
  { status, issues }: SessionSummary,
): string[] => {
  if (completeness === 'cut-off')
    return status === 'processed' && issues.every(({ severity }) => severity === 'info')
      ? ['The file is cut off, but the service reports no issue.']
      : []
  if (warnings.length > 0) return []
  return issues
    .filter(isAboutContent)
    .slice(0, MAX_NAMED)
    .map(({ code, detail }) => `The service reports: ${detail ?? `${code}.`} This PC found no such issue.`)
}

const durationDifference = (inspection: Inspection, session: SessionSummary): string[] => {
  // If this PC read only a part of the file, it does not know the duration of the whole file.
  if (isPartial(inspection)) return []
  if (inspection.durationS === null || session.durationS === null) return []
  const differenceS = Math.abs(inspection.durationS - session.durationS)
  if (differenceS <= Math.max(MIN_DIFFERENCE_S, inspection.durationS * MIN_DIFFERENCE_SHARE)) return []
  const durations = [session.durationS, inspection.durationS]
  const [atService = '', inFile = ''] = durations.map(formatDuration)
  // In minutes, two long durations that differ by seconds would look the same.
  const [reported, held] =
    atService === inFile
      ? durations.map((seconds) => plural(Math.round(seconds), 's', 's'))
      : [atService, inFile]
  return [`The service reports ${reported}, but the file holds ${held}.`]
}

const channelDifferences = (inspection: Inspection, session: SessionSummary): string[] => {
  if (inspection.channels.length === 0) return []
  const sessionChannels = new Set(session.channels.map(normalise))
  const missing = inspection.channels
    .map(({ name }) => name)
    .filter((name) => !sessionChannels.has(normalise(name)))
  if (missing.length === 0) return []
  if (missing.length < inspection.channels.length) return [`The service did not find ${listNames(missing)}.`]
  // If no name matches, the service uses its own names. Then only the number of channels is comparable.
  if (inspection.channels.length <= session.channels.length) return []
  return [
    `The service found ${plural(session.channels.length, 'channel')}, but the file holds ${inspection.channels.length}.`,
  ]
}
