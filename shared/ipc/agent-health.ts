/** Whether the agent runs. While it does not run, the window keeps showing the last status. */
export type AgentHealth = {
  /** `stopped`: this window uses an agent outside the app, but cannot reach it. */
  readonly state: 'starting' | 'running' | 'restarting' | 'stopped'
  readonly restarts: number
  /** A sentence for the user if the agent does not run. */
  readonly trouble?: string
  /** The agent outside the app that this window uses. Missing if it runs its own agent or has not attached yet. */
  readonly attached?: AgentIdentity
}

/** What runs the agent: the window, a terminal, or the system's service manager. */
export const agentHosts = ['window', 'terminal', 'service'] as const

/** A running agent, as its clients see it. */
export type AgentIdentity = {
  readonly version: string
  readonly pid: number
  readonly account: string
  readonly host: (typeof agentHosts)[number]
  readonly dataFolder: string
  readonly logFolder: string
  readonly settingsFile: string
  readonly startedAt: string
  /** True if this client has only the rights of a member of `control.group`. */
  readonly isMember?: boolean | undefined
}
