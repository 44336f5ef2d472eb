import { type ConditionName, conditionOf } from '../../../shared/status/conditions.ts'

/**
 * The facts that decide whether requests and parts may start. The class `Station` implements the fields as getters, so
 * that the gate reads only the facts it needs.
 */
export type StationFacts = {
  readonly isConfigured: boolean
  readonly isPaused: boolean
  readonly isInUploadHours: boolean
  /**
   * The user's request to upload outside the upload hours: the whole station, or the ids of some recordings. Empty if
   * there is no request. The request overrides only the hours: a pause, a condition or the key can still close the
   * gate.
   */
  readonly uploadNow: 'station' | readonly number[]
  /** Whether the key is known to belong to the organisation that has this station's sessions (§5.2). */
  readonly isKeyTrusted: boolean
  /** The conditions that are true now. */
  readonly conditions: readonly ConditionName[]
}

export type PartInQuestion = {
  /** The recording of the part. If undefined, the gate is open when at least one recording may upload. */
  readonly recordingId?: number
  /**
   * Whether the part already has its URL. Such a part needs no request to the control API. So an untrusted key does not
   * matter, and neither does a condition that stops only requests.
   */
  readonly hasUrl?: boolean
  /** Whether this part is the probe of the storage. For the probe, the storage's own condition does not matter. */
  readonly isProbe?: boolean
}

export type PartGate =
  /** `only`: outside the upload hours, the recordings that a user uploads anyway. Null: every recording may upload. */
  | { readonly kind: 'open'; readonly only: readonly number[] | null }
  | {
      readonly kind: 'closed'
      readonly by: 'no-settings' | 'pause' | 'upload-hours' | 'untrusted-key' | ConditionName
      readonly partsInFlight: 'finish' | 'stop'
    }

/** Whether Sluice may send requests to the control API. */
export const mayRequest = ({ conditions, isConfigured, isKeyTrusted }: StationFacts): boolean =>
  !conditions.some((name) => conditionOf(name).stops.includes('requests')) && isConfigured && isKeyTrusted

const stopsPart = (name: ConditionName, { hasUrl = false, isProbe = false }: PartInQuestion): boolean => {
  const { stops, probe } = conditionOf(name)
  if (isProbe && probe === 'part') return false
  return stops.includes('parts') || (!hasUrl && stops.includes('requests'))
}

/** The recordings that may upload at this hour. Null: every recording. */
const allowedByHours = (facts: StationFacts, { recordingId }: PartInQuestion): readonly number[] | null => {
  if (facts.isInUploadHours || facts.uploadNow === 'station') return null
  const ids = facts.uploadNow
  return recordingId === undefined ? ids : ids.filter((id) => id === recordingId)
}

/**
 * Whether a part may start. The uploader, the opener and the storage probe all use this function. If a user, the upload
 * hours or missing settings close the gate, parts in flight stop too. If an untrusted key closes it, they finish. If a
 * condition closes it, the `partsInFlight` of the condition decides. So far, every condition lets them finish, because
 * some of their bytes are already sent.
 */
export const partGate = (facts: StationFacts, part: PartInQuestion = {}): PartGate => {
  if (!facts.isConfigured) return { kind: 'closed', by: 'no-settings', partsInFlight: 'stop' }
  if (facts.isPaused) return { kind: 'closed', by: 'pause', partsInFlight: 'stop' }
  const only = allowedByHours(facts, part)
  if (only?.length === 0) return { kind: 'closed', by: 'upload-hours', partsInFlight: 'stop' }
  const closing = facts.conditions.filter((name) => stopsPart(name, part))
  const by = closing.find((name) => conditionOf(name).partsInFlight === 'stop') ?? closing[0]
  if (by !== undefined) return { kind: 'closed', by, partsInFlight: conditionOf(by).partsInFlight }
  if (part.hasUrl !== true && !facts.isKeyTrusted)
    return { kind: 'closed', by: 'untrusted-key', partsInFlight: 'finish' }
  return { kind: 'open', only }
}
