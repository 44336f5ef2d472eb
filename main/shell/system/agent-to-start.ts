import type { AgentIdentity } from '../../../shared/ipc/agent-health.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'

const paths = pathsOf(process.platform)

type Situation = {
  /** The agent that the window is or was attached to. Null if there is none. */
  readonly agent: Pick<AgentIdentity, 'host' | 'dataFolder'> | null
  /** The data folder of the window. */
  readonly dataFolder: string
  /** The data folder that the station of this window has moved to. Null if it has not moved. */
  readonly movedTo: string | null
  /** The data folders of background services that the window may show. */
  readonly otherStations: readonly string[]
  /** Whether the window's data folder has a journal of an agent that has watched a recording folder. */
  readonly hasOwnStation: () => boolean
  readonly isServiceMissing: (isUserService: boolean) => Promise<boolean>
}

/**
 * Which agent the user means by “Start the agent”: the one that has the station. `sluice service uninstall --to` moves
 * the station back into the window's data folder. The user then means the window's own agent.
 */
export const agentToStart = async (situation: Situation): Promise<'own' | 'service' | 'user service'> => {
  const { agent, dataFolder, movedTo, otherStations } = situation
  if (agent?.host !== 'service')
    return movedTo !== null && otherStations.some((folder) => paths.same(folder, movedTo)) ? 'service' : 'own'
  const isUserService = paths.same(agent.dataFolder, dataFolder)
  const isBack =
    movedTo === null && situation.hasOwnStation() && (await situation.isServiceMissing(isUserService))
  if (isBack) return 'own'
  return isUserService ? 'user service' : 'service'
}
