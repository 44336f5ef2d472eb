import type { ProblemText } from './problem-terms.ts'

/** One problem code of a condition: its words in the status bar, and its problem text. */
export type ConditionCode = ProblemText & {
  /** At most five words, for the headline and the status bar. */
  readonly shortWords: string
  /** The condition ends only after the delay that the service requested. No answer or probe ends it earlier. */
  readonly isEndedByDelay?: true
  /** Overrides the probe of its condition. */
  readonly probe?: 'none'
}

/**
 * A condition applies to the whole station. Sluice raises it once, instead of one problem per recording. Several
 * conditions can be active at once. Everything that Sluice does about a condition follows from its entry in
 * `stoppingConditions` or `warningConditions`.
 */
export type Condition = {
  readonly codes: Readonly<Record<string, ConditionCode>>
  /** `requests`: no request to the control API. `parts`: no new part to the storage. Empty: everything continues. */
  readonly stops: readonly ('requests' | 'parts')[]
  readonly partsInFlight: 'finish' | 'stop'
  /**
   * How Sluice notices that the condition has ended. `request`: the prober sends one request. `part`: the uploader
   * sends one part. `answers`: Sluice checks every answer of the service. `check`: Sluice checks this PC. `none`: there
   * is no probe, and the part of Sluice that raised the condition also clears it.
   */
  readonly probe: 'request' | 'part' | 'answers' | 'check' | 'none'
  /** The state of the station while this condition stops uploads and nobody has to act. */
  readonly stationState: 'offline' | 'paused'
  /** The first words of the activity entry for the end of the condition: "Service back after 5 min." */
  readonly endWords: string
}
