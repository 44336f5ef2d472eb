import type { SystemProxy } from '../../../shared/ipc/agent-protocol.ts'
import type { Finding } from '../../../shared/ipc/station-check.ts'
import type { Paths } from '../../../shared/paths/paths.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Problem } from '../../../shared/status/problem.ts'
import type { Journal } from '../journal/journal.ts'
import type { Clock, Log, Random } from '../ports/clock.ts'

export type Verdict = Omit<Finding, 'subject'>

export type CheckedStation = {
  readonly settings: Settings | null
  readonly apiKey: string | null
  /** Why the configured key cannot be used. */
  readonly keyProblem?: string | null
  readonly systemProxy: SystemProxy
  readonly dataFolder: string
  /** Opens the journal; null before the first run. Each check opens it itself, so that a failure becomes a finding. */
  readonly journal: (() => Journal) | null
  readonly paths: Paths
  /** In a container: whether all recorders run in the same container. */
  readonly recordersInContainer: boolean
  /**
   * One pending call for each folder whose drive has not answered yet. Later checks wait for the same call, because
   * each call blocks one thread.
   */
  readonly pendingDriveCalls: Map<string, Promise<unknown>>
  /** Problems that only a running agent knows, such as a different drive at the folder's path. */
  readonly folderProblems?: (path: string) => readonly Problem[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type Check = { readonly subject: string; readonly run: (signal: AbortSignal) => Promise<Verdict> }
