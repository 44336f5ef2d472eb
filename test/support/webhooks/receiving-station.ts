import { type AgentProcess, until } from '../station.ts'

/** Polls so rarely that only an event causes a second poll during a test. */
export const EVENTS_ONLY = {
  rest: { follow: { poll_seconds: 3_600 }, webhooks: { receive: { port: 0 } } },
} as const

/** Long enough that the first poll always reads "processing". */
export const SLOW_PROCESSING = ['--processing-delay', '4000']

export const portOf = (agent: AgentProcess): Promise<number> =>
  until('the agent prints its address', () => {
    const port = /Receiving events at http:\/\/127\.0\.0\.1:(\d+)\/webhooks/.exec(agent.stderr)?.[1]
    return port === undefined ? null : Number(port)
  })

export const secretIn = (output: string): string => /whsec_[0-9a-f]+/.exec(output)?.[0] ?? ''

export const isProcessed = (name: string) => (line: { path: string; state: string }) =>
  line.path.endsWith(name) && line.state === 'processed'
