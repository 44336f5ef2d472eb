import { app, Menu } from 'electron'
import type { AgentHealth } from '../../../shared/ipc/agent-health.ts'
import { systemOf } from '../../../shared/ipc/system.ts'
import type { Status } from '../../../shared/status/status.ts'
import { jumpList } from './jump-list.ts'
import { offeredTasks, type Task, taskWords } from './task.ts'

type Options = {
  /** The command line that starts this app again. */
  readonly command: readonly string[]
  readonly runTask: (task: Task) => void
  readonly log: (message: string) => void
}

/** The menu of the taskbar or dock icon. On Linux it is fixed in the package's desktop file. */
export class TaskMenu {
  readonly #options: Options
  #isPaused: boolean | null = null
  #isRunning = false
  #shownTasks = ''

  constructor(options: Options) {
    this.#options = options
    this.#draw()
  }

  setStatus({ station }: Status): void {
    this.#isPaused = station.paused
    this.#draw()
  }

  setHealth({ state }: AgentHealth): void {
    this.#isRunning = state === 'running'
    this.#draw()
  }

  #draw(): void {
    const tasks = offeredTasks(this.#isRunning ? this.#isPaused : null)
    const taskNames = tasks.join(' ')
    if (taskNames === this.#shownTasks) return
    this.#shownTasks = taskNames
    const { command, runTask, log } = this.#options
    switch (systemOf(process.platform)) {
      case 'windows':
        if (!app.setUserTasks(jumpList(command, tasks))) log('Windows refused the tasks of the jump list')
        return
      case 'macos':
        app.dock?.setMenu(
          Menu.buildFromTemplate(
            tasks.map((task) => ({ label: taskWords[task], click: () => runTask(task) })),
          ),
        )
        return
      case 'linux':
        return
    }
  }
}
