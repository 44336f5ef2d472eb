import type { AgentIdentity } from '../../../shared/ipc/agent-health.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'

const paths = pathsOf(process.platform)

type Situation = {
  /** The agent that the window was attached to. */
  readonly agent: Pick<AgentIdentity, 'host' | 'dataFolder'> | null
  /** The data folder of the window. */
  readonly dataFolder: string
  /** The data folder that the station of this window has moved to. Null if it has not moved. */
  readonly movedTo: string | null
  /** The data folders of background services that the window may show. */
  readonly otherStations: readonly string[]
  /** Whether the agent of the window has watched a folder. */
  readonly hasOwnStation: () => boolean
  readonly isServiceMissing: (isUserService: boolean) => Promise<boolean>
}

/**
 * What the user means by “Start the agent”: the agent that has the station. After `sluice service uninstall --to`, the
 * station is back in the window's folder and the background service is missing, so the user means the window's own
 * agent.
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
