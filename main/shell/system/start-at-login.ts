import { app } from 'electron'
import { systemOf, systemWords } from '../../../shared/ipc/system.ts'
import type { Notice } from '../notices/notify-decision.ts'
import { type LoginTrouble, setStartAtLogin } from './login-item.ts'

type Options = {
  /** What starts this very app again. */
  readonly command: readonly string[]
  readonly isFallback: boolean
  readonly show: (notice: Notice) => void
  readonly log: (message: string) => void
}

/** The entry that starts Sluice at login, as the settings want it. */
export class StartAtLogin {
  readonly #options: Options
  #trouble: LoginTrouble | null = null
  /** What it was last set to: it is not touched by a change of other settings. */
  #isOn = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Why it does not start at login although it should. */
  get trouble(): string | null {
    return this.#trouble?.sentence ?? null
  }

  /** The app may have been moved or updated since the entry was made. */
  start(on: boolean): void {
    this.#isOn = on
    if (on) this.#apply(true, 'start')
  }

  set(on: boolean): void {
    if (on === this.#isOn) return
    this.#isOn = on
    this.#apply(on, 'person')
  }

  #apply(on: boolean, by: 'person' | 'start'): void {
    const { command, isFallback, show, log } = this.#options
    const trouble = setStartAtLogin(
      {
        platform: process.platform,
        app,
        command: [...command, '--hidden'],
        configFolder: app.getPath('appData'),
        isFallback,
      },
      on,
      by,
    )
    this.#trouble = trouble
    if (trouble === null) return
    log(trouble.sentence)
    // Who has just switched it on here wants to know why it stays off; who switched it off elsewhere knows.
    if (trouble.kind === 'switched-off' && by === 'start') return
    const title = systemWords[systemOf(process.platform)].startAtLogin
    show({ title, body: trouble.sentence, to: 'appearance' })
  }
}
