import { existsSync } from 'node:fs'
import path from 'node:path'
import { AgentProcess, until } from '../support/station.ts'

/** SLUICE_WINDOW_AGENT=attached: each window attaches to an agent that runs outside the app. `npm test -- long` sets it. */
export const usesOutsideAgent = (): boolean => process.env.SLUICE_WINDOW_AGENT === 'attached'

/** The app's arguments that the agent needs too. */
const managedArguments = (args: readonly string[]): readonly string[] => {
  const index = args.indexOf('--managed')
  return index < 0 ? [] : args.slice(index, index + 2)
}

/** An agent outside the app. This class restarts it after a kill, as a service manager does. */
export class RestartingAgent {
  readonly #start: () => AgentProcess
  #agent: AgentProcess
  #isClosed = false

  private constructor(start: () => AgentProcess) {
    this.#start = start
    this.#agent = this.#run()
  }

  static async start(
    data: string,
    appArguments: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<RestartingAgent> {
    const args = ['run', '--data', data, ...managedArguments(appArguments)]
    const restarting = new RestartingAgent(() => new AgentProcess(args, { env }))
    await until('the agent listens', () => {
      const { child, stderr } = restarting.#agent
      if (child.exitCode !== null) throw new Error(`the agent ended: ${stderr}`)
      return existsSync(path.join(data, 'agent.sock'))
    })
    return restarting
  }

  get pid(): number | null {
    return this.#agent.child.pid ?? null
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
