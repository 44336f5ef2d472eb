import type { AgentCallName, AgentIdentity, CallArgs, CallResult } from '../../shared/ipc/ipc.ts'
import type { Journal } from '../agent/journal/journal.ts'
import { ownVersion } from '../agent/platform/process/own-version.ts'
import { connectToAgent, type EndpointClient } from '../endpoint/endpoint-client.ts'
import { withJournal } from './journal-commands.ts'

const connect = (dataFolder: string): Promise<EndpointClient | null> =>
  connectToAgent(dataFolder, { version: ownVersion() ?? 'unknown', clientIs: 'this program' })

/**
 * Sends the command to the running agent, which then shows the change at once. Without a running agent, the command
 * changes the journal itself.
 */
export const throughAgent = async <N extends AgentCallName>(
  dataFolder: string,
  name: N,
  args: CallArgs<N>,
  onJournal: (journal: Journal) => CallResult<N>,
): Promise<CallResult<N>> => {
  const client = await connect(dataFolder)
  if (client === null) return withJournal(dataFolder, onJournal)
  try {
    const answer = await client.call(name, args)
    if (answer.ok) return answer.value as CallResult<N>
    // The agent has just ended. Running the command a second time is safe: it sets a state and adds nothing.
    if (answer.error.kind === 'agent-unavailable') return withJournal(dataFolder, onJournal)
    throw new Error(answer.error.message)
  } finally {
    client.close()
  }
}

/** The running agent, for display. `trouble` is the reason if this program cannot talk to it. */
export const findAgent = async (
  dataFolder: string,
): Promise<{ readonly agent: AgentIdentity | null; readonly trouble: string | null }> => {
  try {
    const client = await connect(dataFolder)
    client?.close()
    return { agent: client?.agent ?? null, trouble: null }
  } catch (error) {
    return { agent: null, trouble: (error as Error).message }
  }
}
