import { z } from 'zod'
import type { Status } from '../status/status.ts'
import { type AgentIdentity, agentHosts } from './agent-health.ts'
import { type AgentCallName, type CallAnswer, calls, type SettingsState } from './ipc.ts'
import { type StationCallName, stationCallNames } from './station-calls.ts'

/**
 * The version of the messages between an agent and its clients: windows and commands of the same PC. Raise this number
 * if an older agent or client would misunderstand a changed message or a call of `ipc.ts`. Since version 3, a window
 * that shows each take as one row sends `takes`. Without `takes`, the agent treats each row as a single file.
 */
export const ENDPOINT_PROTOCOL = 3

/** Small, because the agent reads the hello before it can refuse a client. */
export const MAX_HELLO_BYTES = 4 * 1024
/** Large enough for an action that names 100,000 recordings. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024
/** Large enough for the receipt of a large station. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Calls that no client may make, because their answers contain a secret. */
const internalCalls: readonly string[] = ['createWebhookEndpoint'] satisfies readonly AgentCallName[]

export type EndpointCallName = AgentCallName | StationCallName

const callName = z.custom<EndpointCallName>(
  (name) =>
    typeof name === 'string' &&
    !internalCalls.includes(name) &&
    ((Object.hasOwn(calls, name) && calls[name as keyof typeof calls].by === 'agent') ||
      stationCallNames.some((own) => own === name)),
  'unknown call',
)

/** Every version understands these fields. They must never change. */
const sideSchema = z.object({ protocol: z.number().int().min(0), version: z.string().max(100) })
export type Side = z.output<typeof sideSchema>

export const helloSchema = sideSchema.extend({
  kind: z.literal('hello'),
  /** Only on Windows: a token from the file that names the pipe. The token proves that the client may read that file. */
  token: z.string().max(200).optional(),
})
export type Hello = z.output<typeof helloSchema>

const id = z.number().int().positive()
export const requestSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), id, name: callName, args: z.unknown().optional() }),
  z.strictObject({ kind: z.literal('reconnect'), reason: z.string().max(200) }),
  z.strictObject({ kind: z.literal('ping') }),
])
export type Request = z.output<typeof requestSchema>

const identitySchema = z.object({
  version: z.string(),
  pid: z.number().int(),
  account: z.string(),
  host: z.enum(agentHosts),
  dataFolder: z.string(),
  logFolder: z.string(),
  settingsFile: z.string(),
  startedAt: z.string(),
  isMember: z.boolean().optional(),
}) satisfies z.ZodType<AgentIdentity>
/** The answer to a hello. A refusal names the version too, because the client reports which side is older. */
export const greetingSchema = z.union([
  sideSchema.extend({
    kind: z.literal('welcome'),
    agent: identitySchema,
    /** Null if a window stores the settings of this station. */
    settings: z.custom<SettingsState>((value) => typeof value === 'object').nullable(),
  }),
  sideSchema.extend({ kind: z.literal('refused'), message: z.string() }),
])
export type Greeting = z.output<typeof greetingSchema>

/**
 * The agent sends these messages after the welcome. The client does not check them, because it trusts the agent and
 * has compared the protocols.
 */
export type EndpointMessage =
  | { readonly kind: 'pong' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: CallAnswer<unknown> }
  | { readonly kind: 'status'; readonly status: Status }
  | { readonly kind: 'settings'; readonly settings: SettingsState }

/** A sentence that tells the user which side to update. Null if both sides use the same protocol. */
export const versionConflict = (client: Side, agent: Side, clientIs: string): string | null => {
  if (client.protocol === agent.protocol) return null
  const versions = `the agent is version ${agent.version}, ${clientIs} is version ${client.version}`
  return agent.protocol < client.protocol
    ? `The agent is older than ${clientIs}: ${versions}. Restart the agent with the new version.`
    : `${clientIs[0]?.toUpperCase()}${clientIs.slice(1)} is older than the agent: ${versions}. Start the new version.`
}
