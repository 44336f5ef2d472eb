import { needsSomebody } from '../../shared/status/status.ts'
import type { Agent } from '../agent/assembly/agent.ts'
import { leavesIfProcessedBy } from '../agent/domain/keeping.ts'

type Rules = Pick<Agent, 'journal' | 'station' | 'settings' | 'nowMs' | 'watcherOf'>

/** How many files the rules would take from their folders now, if nothing keeps them: what waits is not counted. */
export const removalsDue = (agent: Rules): number => {
  const { journal, station, settings } = agent
  const service = journal.station.serviceInUse()
  if (service === null || !station.mayAsk() || journal.station.paused() !== null) return 0
  return (settings?.folders ?? []).reduce((sum, { path, after_upload: policy }) => {
    if (policy.action === 'keep' || agent.watcherOf(path)?.state.state !== 'watching') return sum
    return sum + journal.removals.countDue(path, leavesIfProcessedBy(policy, agent.nowMs(), false), service)
  }, 0)
}

/** What is left to do: nothing, work, only the service's processing, what passes by itself, or what waits for somebody. */
export const whatIsLeft = (
  agent: Rules & Pick<Agent, 'looked'>,
): 'nothing' | 'work' | 'processing' | 'passing' | 'somebody' => {
  const { journal, station } = agent
  const { ready, processing, passing, somebody } = journal.work.left()
  const givenUp = journal.givenUp.count()
  if (!agent.looked) return 'work'
  if (ready + processing + passing + somebody + givenUp.all === 0)
    return removalsDue(agent) > 0 ? 'passing' : 'nothing'
  const { stop } = station
  const counts = journal.views.counts()
  // What is at the service goes on there, whatever keeps parts from being sent.
  const atService = counts.completing + counts.processing > 0
  const onlySending = stop === null || stop.code === station.code('storage')
  if (stop !== null && !(onlySending && atService))
    // A full disk is somebody's job, and yet it often passes: other programs clear up after themselves.
    return needsSomebody(stop) && stop.code !== 'disk-full' ? 'somebody' : 'passing'
  // Whoever paused it may go on at any moment: that is waited for like anything that passes.
  if (journal.station.paused() !== null && !atService) return 'passing'
  if (ready + givenUp.fresh > 0) return 'work'
  if (processing > 0) return 'processing'
  return passing + givenUp.all > 0 ? 'passing' : 'somebody'
}
