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
  /** Shows which version is installed. Without it, the agent does not notice that an update was installed. */
  readonly installed?: InstalledProgram | null
  /** Ends this process, so that the newly installed version starts. Null if nothing would start that version. */
  readonly restart?: (() => void) | null
  /**
   * Lets the installed version try the journal before the restart. Returns why that version cannot use the journal,
   * or null.
   */
  readonly prove?: () => Promise<string | null>
  /** Null if this program only reports new versions. */
  readonly installer?: UpdateInstaller | null
  readonly clock?: Clock
  readonly random?: Random
  /** In a container: whether all recorders run in the same container. */
  readonly recordersInContainer?: boolean
  /** The folder that lists the power supplies of this PC. */
  readonly powerSuppliesFolder?: string
}
