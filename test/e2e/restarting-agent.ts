import { connect } from 'node:net'
import path from 'node:path'
import type { Need } from '../support/needs.ts'
import { AgentProcess, until } from '../support/station.ts'

/**
 * With SLUICE_WINDOW_AGENT=attached, each window attaches to an agent that runs outside the app. `npm test -- long`
 * sets this variable.
 */
export const usesOutsideAgent = (): boolean => process.env.SLUICE_WINDOW_AGENT === 'attached'

/** For tests that need the app's own agent. */
export const ownAgent: Need = () => (usesOutsideAgent() ? 'an agent of the app' : null)

/** The app's arguments that the agent needs too. */
const managedArguments = (args: readonly string[]): readonly string[] => {
  const index = args.indexOf('--managed')
  return index < 0 ? [] : args.slice(index, index + 2)
}

/** The socket file of a killed agent stays, so only a connection proves that an agent listens. */
const isListening = (data: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path.join(data, 'agent.sock'))
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** An agent outside the app. This class restarts it after a kill, as a service manager does. */
export class RestartingAgent {
  readonly #data: string
  readonly #start: () => AgentProcess
  #agent: AgentProcess
  #isClosed = false

  private constructor(data: string, start: () => AgentProcess) {
    this.#data = data
    this.#start = start
    this.#agent = this.#run()
  }

  static async start(
    data: string,
    appArguments: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<RestartingAgent> {
    const args = ['run', '--data', data, ...managedArguments(appArguments)]
    // Only the background service starts without settings, so that a window can then set up the station.
    const asService = { ...env, SLUICE_SERVICE: '1' }
    const restarting = new RestartingAgent(data, () => new AgentProcess(args, { env: asService }))
    await restarting.#waitUntilListening()
    return restarting
  }

  /** A window that starts earlier would start its own agent. */
  #waitUntilListening(): Promise<unknown> {
    return until('the agent listens', () => {
      const { child, stderr } = this.#agent
      if (child.exitCode !== null) throw new Error(`the agent ended: ${stderr}`)
      return isListening(this.#data)
    })
  }

  get pid(): number | null {
    return this.#agent.child.pid ?? null
  }

  /** Kills the agent, and returns when its successor listens. */
  async restart(): Promise<void> {
    const before = this.pid
    await this.#agent.kill('SIGKILL')
    await until('the next agent has started', () => this.pid !== before)
    await this.#waitUntilListening()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#agent.kill()
  }

  #run(): AgentProcess {
    const agent = this.#start()
    void agent.ended.then((exit) => {
      // Restart only after a signal. An agent that exits on its own would exit again.
      if (!this.#isClosed && typeof exit === 'string') this.#agent = this.#run()
    })
    return agent
  }
}
