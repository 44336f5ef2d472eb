import { type ConditionName, conditionOf } from '../../../shared/status/conditions.ts'

/**
 * The facts that decide whether requests and parts may start. `Station` implements them as getters, so that the gate
 * computes only what it needs.
 */
export type StationFacts = {
  readonly isConfigured: boolean
  readonly isPaused: boolean
  readonly isInUploadHours: boolean
  /**
   * What a user wants to upload outside the upload hours: everything, or the recordings with these ids. This overrides
   * only the hours: a pause, a condition or the key can still stop the upload.
   */
  readonly uploadNow: 'station' | readonly number[]
  /** Whether the key is known to belong to the organisation of this station's sessions (§5.2). */
  readonly isKeyTrusted: boolean
  /** The conditions that are true now. */
  readonly conditions: readonly ConditionName[]
}

export type PartInQuestion = {
  /** The recording of the part. If undefined, the gate is open when any recording may upload. */
  readonly recordingId?: number
  /**
   * Whether the part already has its URL. Then the part needs no request, so an untrusted key does not stop it. Nor
   * does a condition that stops only requests.
   */
  readonly hasUrl?: boolean
  /** Whether this part probes the storage. The storage's own condition does not stop the probe. */
  readonly isProbe?: boolean
}

export type PartGate =
  /**
   * `only`: outside the upload hours, the recordings that a user wants to upload now. Null: all recordings may upload.
   */
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

/** The recordings that may upload at this hour; null means all. */
const allowedByHours = (facts: StationFacts, { recordingId }: PartInQuestion): readonly number[] | null => {
  if (facts.isInUploadHours || facts.uploadNow === 'station') return null
  const ids = facts.uploadNow
  return recordingId === undefined ? ids : ids.filter((id) => id === recordingId)
}

/**
 * Whether a part may start. If a user, the upload hours or missing settings close the gate, parts in flight stop too.
 * They finish if an untrusted key closes the gate. If a condition closes the gate, its `partsInFlight` decides. At
 * present, all conditions let parts finish, because some of the bytes are already sent.
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
