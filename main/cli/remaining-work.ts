import { problemNeedsAttention } from '../../shared/status/problem.ts'
import type { Agent } from '../agent/assembly/agent.ts'
import { removalCutoffMs } from '../agent/domain/removal-rules.ts'

type AgentParts = Pick<Agent, 'journal' | 'station' | 'settings' | 'nowMs' | 'watcherOf'>

/**
 * The number of files in watched folders that the `after_upload` rules would remove now. Zero while something blocks
 * removals, such as a pause, a test key or a condition that stops requests.
 */
export const removalsDue = (agent: AgentParts): number => {
  const { journal, station, settings } = agent
  const service = journal.station.serviceInUse()
  if (service === null || !station.mayRequest() || journal.station.currentPause() !== null) return 0
  if (journal.station.usesTestKey()) return 0
  return (settings?.folders ?? []).reduce((sum, { path, after_upload: policy }) => {
    if (policy.action === 'keep' || agent.watcherOf(path)?.state.state !== 'watching') return sum
    return sum + journal.removals.countDue(path, removalCutoffMs(policy, agent.nowMs(), false), service)
  }, 0)
}

/**
 * `work`: the agent has work that it can do now or when the upload hours begin. `processing`: the agent can do nothing
 * now, but the service still processes sessions. `temporary`: the agent waits, for example for a retry or the end of a
 * pause. `attention`: nothing continues until a person acts.
 */
export const remainingWork = (
  agent: AgentParts & Pick<Agent, 'scanned' | 'vanished'>,
): 'nothing' | 'work' | 'processing' | 'temporary' | 'attention' => {
  const { journal, station, vanished } = agent
  const { ready, processing, attention, ...waiting } = journal.work.countUnfinished()
  // The service may still answer that a recording whose file has vanished is safe.
  const temporary = waiting.temporary + vanished.uncheckedIds().length
  const givenUp = journal.givenUp.count()
  if (!agent.scanned || (station.mayRequest() && journal.deletions.countUnchecked() > 0)) return 'work'
  if (ready + processing + temporary + attention + givenUp.all === 0) {
    // Wait for pending inspections: they are short, and a run that ends now would skip them.
    if (journal.inspections.nextDue() !== null) return 'work'
    return removalsDue(agent) > 0 ? 'temporary' : 'nothing'
  }
  const { stop } = station
  const counts = journal.views.counts()
  // The service continues to process uploaded sessions, even while Sluice cannot send parts.
  const atService = counts.completing + counts.processing > 0
  if (stop !== null && (station.stopsRequests || !atService))
    // A full disk is often temporary, because other programs delete their temporary files.
    return problemNeedsAttention(stop) && stop.code !== 'disk-full' ? 'attention' : 'temporary'
  // During a pause, wait: the user may resume at any moment.
  if (journal.station.currentPause() !== null && counts.completing === 0)
    return atService ? 'processing' : 'temporary'
  if (ready + givenUp.untried > 0) return 'work'
  if (processing > 0) return 'processing'
  return temporary + givenUp.all > 0 ? 'temporary' : 'attention'
}
