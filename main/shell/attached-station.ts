import type { StationCallName } from '../../shared/ipc/station-calls.ts'
import { stationCallNames } from '../../shared/ipc/station-calls.ts'
import { draftSettingsSchema } from '../../shared/settings/settings.ts'
import { Refused } from '../station-store/refused.ts'
import type { StationCalls } from '../station-store/station-call-types.ts'
import type { StationAgent } from '../supervisor/station-agent.ts'
import type { ShellStation } from './calls/shell-calls.ts'

/** These calls also work without the agent, because a report and the log matter most when the agent does not run. */
const callsWithoutAgent: ReadonlySet<StationCallName> = new Set(['makeSupportReport', 'listLogLines'])

/**
 * The station of an agent that runs outside this app. That agent keeps the settings and secrets, and answers the calls
 * about them.
 */
export const attachedStation = (
  agent: Pick<StationAgent, 'call' | 'attachedTo' | 'health'>,
  own: ShellStation,
): ShellStation => {
  const relay = (name: StationCallName) => async (args: unknown) => {
    if (agent.health.state === 'stopped' && callsWithoutAgent.has(name))
      return (own.calls[name] as (value: unknown) => unknown)(args)
    const answer = await agent.call(name, args)
    if (!answer.ok) throw new Refused(answer.error.message)
    return answer.value
  }
  return {
    get state() {
      return agent.attachedTo?.settings ?? own.state
    },
    // The input of the page already contains the managed values, because the page cannot edit managed fields. The agent
    // applies the managed settings again when it saves.
    preview: (input) => draftSettingsSchema.safeParse(input).data ?? null,
    keyFor: () => null,
    calls: Object.fromEntries(stationCallNames.map((name) => [name, relay(name)])) as unknown as StationCalls,
  }
}
