import type { NightFigures, Nights } from '../../shared/status/night-figures.ts'
import type { Status } from '../../shared/status/status.ts'
import { useAgent } from './AgentView.tsx'
import { ask } from './ask.ts'
import { useLoad } from './use-load.ts'
import { useRefreshTick } from './use-refresh-tick.ts'

const REFRESH_MS = 15_000

/** Replaces the current night with the live report, so that this view agrees with the night bar. */
const withTonight = (nights: readonly NightFigures[], { report }: Status): readonly NightFigures[] =>
  nights.map((night) => (night.since === report.since ? { ...night, ...report } : night))

export const useNights = (): Nights | null => {
  const { status } = useAgent()
  const tick = useRefreshTick(REFRESH_MS)
  const { data } = useLoad(`${tick} ${status?.report.since}`, () => ask('getNights'))
  if (data === null || status === null) return null
  return { ...data, station: withTonight(data.station, status) }
}
