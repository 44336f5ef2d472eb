import { readFileSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { connectToAgent, type EndpointClient } from '../../main/endpoint/endpoint-client.ts'
import type { Status } from '../../shared/status/status.ts'
import { type AgentProcess, type Station, until } from '../support/station.ts'

/** The tests start a headless agent as a process, connect to it as the app does, and run the real commands. */

export const connectAsClient = (data: string): Promise<EndpointClient | null> =>
  connectToAgent(data, { version: 'test', clientIs: 'this program' })

export const attach = async (station: Station): Promise<EndpointClient> => {
  const client = await until('the agent listens', () => connectAsClient(station.data))
  onTestFinished(() => client.close())
  return client
}

export const startAgent = async (station: Station): Promise<AgentProcess> => {
  const agent = station.agent()
  await attach(station)
  return agent
}

export const latestStatusOf = (client: EndpointClient): (() => Status | undefined) => {
  const statuses: Status[] = []
  client.on('status', (status) => statuses.push(status))
  return () => statuses.at(-1)
}

export const answerOf = async <T>(answer: ReturnType<EndpointClient['call']>): Promise<T> => {
  const result = await answer
  if (!result.ok) throw new Error(result.error.message)
  return result.value as T
}

export const logOf = (station: Station): string =>
  readFileSync(path.join(station.data, 'logs/sluice.log'), 'utf8')
