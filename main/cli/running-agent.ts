import type { AgentIdentity } from '../../shared/ipc/agent-health.ts'
import type { EndpointCallName } from '../../shared/ipc/endpoint-protocol.ts'
import type { AgentCallName, CallArgs, CallResult } from '../../shared/ipc/ipc.ts'
import type { Finding } from '../../shared/ipc/station-check.ts'
import type { StationCondition } from '../../shared/status/problem.ts'
import type { Status } from '../../shared/status/status.ts'
import type { Journal } from '../agent/journal/journal.ts'
import { ownVersion } from '../agent/platform/process/own-version.ts'
import { connectToAgent, type EndpointClient } from '../endpoint/endpoint-client.ts'
import { accountName } from '../local-files/account-name.ts'
import { MissingRightsError } from '../local-files/missing-rights.ts'
import { changeJournal, withJournal } from './journal-commands.ts'

const connect = (dataFolder: string): Promise<EndpointClient | null> =>
  connectToAgent(dataFolder, { version: ownVersion() ?? 'unknown', clientIs: 'this program' })

/**
 * Asks the running agent to make a change, so that attached windows show the change at once. Without a running agent,
 * changes the journal directly.
 */
export const callAgentOrJournal = async <N extends AgentCallName>(
  dataFolder: string,
  name: N,
  args: CallArgs<N>,
  onJournal: (journal: Journal) => CallResult<N>,
): Promise<CallResult<N>> => {
  const client = await connect(dataFolder)
  if (client === null) return changeJournal(dataFolder, onJournal)
  try {
    const answer = await client.call(name, args)
    if (answer.ok) return answer.value as CallResult<N>
    // The agent may have applied the change before it stopped answering. A repeated change is safe: at worst, the
    // history shows it twice.
    if (answer.error.kind === 'agent-unavailable') return changeJournal(dataFolder, onJournal)
    throw new Error(answer.error.message)
  } finally {
    client.close()
  }
}

/** Calls the running agent. If the call fails, throws an error with the message of the answer. */
export type CallAgent = <N extends EndpointCallName>(name: N, args: CallArgs<N>) => Promise<CallResult<N>>

/**
 * Reads the journal. If this account may not open the journal, asks the running agent instead. Members of
 * `control.group` may not open the journal.
 */
export const readJournalOrAgent = <T>(
  dataFolder: string,
  onJournal: (journal: Journal) => T,
  onAgent: (call: CallAgent) => Promise<T>,
): Promise<T> => readFilesOrAgent(dataFolder, () => withJournal(dataFolder, onJournal), onAgent)

/** Like `readJournalOrAgent`, for any file of the data folder. */
export const readFilesOrAgent = async <T>(
  dataFolder: string,
  read: () => T | Promise<T>,
  onAgent: (call: CallAgent) => Promise<T>,
): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof MissingRightsError)) throw error
    const client = await connect(dataFolder)
    if (client === null)
      throw new Error(`${error.message} Members of control.group need a running agent, and no agent answers.`)
    try {
      return await onAgent(async (name, args) => {
        const answer = await client.call(name, args)
        if (!answer.ok) throw new Error(answer.error.message)
        return answer.value as CallResult<typeof name>
      })
    } finally {
      client.close()
    }
  }
}

/** The running agent and the folders that it watches. Null if this program reaches no agent. */
export const findAgentWithFolders = async (
  dataFolder: string,
): Promise<{ readonly agent: AgentIdentity; readonly folders: readonly string[] } | null> => {
  try {
    const client = await connect(dataFolder)
    if (client === null) return null
    try {
      const answer = await client.call('getStatus', undefined)
      const folders = answer.ok ? (answer.value as Status).folders.map(({ path }) => path) : []
      // The agent of a different user may send anything, so keep only strings.
      return { agent: client.agent, folders: folders.filter((folder) => typeof folder === 'string') }
    } finally {
      client.close()
    }
  } catch {
    return null
  }
}

/**
 * The conditions of the running agent. While the disk is full, the agent cannot store new conditions in the journal.
 * Null if this program reaches no agent, or gets no status from it.
 */
export const findConditions = async (dataFolder: string): Promise<readonly StationCondition[] | null> => {
  const client = await connect(dataFolder).catch(() => null)
  if (client === null) return null
  try {
    const answer = await client.call('getStatus', undefined)
    return answer.ok ? (answer.value as Status).station.conditions : null
  } finally {
    client.close()
  }
}

/** What the running agent found when it checked the station with the rights of its own account. */
export type AgentCheck = {
  readonly agent: AgentIdentity
  /** `control.group` in the agent's settings. Null if it is missing or unknown. */
  readonly group: string | null
  readonly findings: readonly Finding[]
}

/**
 * Asks a running agent of a different account to check the station. Null if this program reaches no such agent, or if
 * the check fails.
 */
export const checkByForeignAgent = async (dataFolder: string): Promise<AgentCheck | null> => {
  const client = await connect(dataFolder).catch(() => null)
  if (client === null) return null
  try {
    if (client.agent.account === accountName()) return null
    const answer = await client.call('checkStation', undefined)
    if (!answer.ok) return null
    return {
      agent: client.agent,
      group: client.settings?.settings.control?.group ?? null,
      findings: answer.value as readonly Finding[],
    }
  } finally {
    client.close()
  }
}

/** The running agent, or null. If this program cannot attach to an agent that runs, `trouble` is the reason. */
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
