import type { AgentHealth } from '../ipc/agent-health.ts'
import type { Status } from '../status/status.ts'

/** The headline, or the reason why there is none, for the menu, tooltip and panel of the tray icon. */
export const stationLine = (view: {
  readonly status: Pick<Status, 'station'> | null
  readonly health: AgentHealth
}): string => {
  const { status, health } = view
  if (health.trouble !== undefined) return health.trouble
  if (health.state === 'restarting') return 'Reconnecting: the upload agent is restarting.'
  return status?.station.headline ?? 'Starting…'
}
