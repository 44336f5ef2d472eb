import type { Clock, Log, Random } from '../ports/clock.ts'
import type { InstalledProgram } from '../ports/installed-program.ts'
import type { UpdateInstaller } from '../ports/updates.ts'

export type AgentOptions = {
  readonly dataFolder: string
  readonly log: Log
  /** Called when the journal is unusable. It must end this process; the next start repairs the journal. */
  readonly onDamage: () => void
  /** Version of the program, to detect an update. */
  readonly version?: string | null
  /** Shows which version is installed. If null, the agent does not notice an update. */
  readonly installed?: InstalledProgram | null
  /** Ends this process, so that the newly installed version starts. Null if nothing would start that version. */
  readonly restart?: (() => void) | null
  /** Tests whether the installed version can use the journal. Returns the reason if it cannot, or null. */
  readonly prove?: () => Promise<string | null>
  /** Null if this program cannot install updates itself. */
  readonly installer?: UpdateInstaller | null
  readonly clock?: Clock
  readonly random?: Random
  /** In a container: whether all recorders run in the same container. */
  readonly recordersInContainer?: boolean
  readonly powerSuppliesFolder?: string
}
