import type { Configuration } from '../../../shared/ipc/agent-protocol.ts'
import type { StationConditions } from '../ports/station.ts'

/** Raises and clears the conditions that the app reports with the settings. */
export const applyConfiguredConditions = (
  station: Pick<StationConditions, 'raise' | 'clear'>,
  before: Configuration,
  next: Configuration,
): void => {
  const problem = next.managedProblem ?? null
  if (problem !== (before.managedProblem ?? null)) {
    station.clear('managed')
    if (problem !== null) station.raise('managed', 'managed-settings-bad', { detail: problem })
  }
  if (next.monitoringLocked !== true) station.clear('monitoring')
  else if (before.monitoringLocked !== true) station.raise('monitoring', 'monitoring-locked')
}
