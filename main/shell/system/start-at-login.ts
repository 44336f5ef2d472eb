import { app } from 'electron'
import { systemOf, systemWords } from '../../../shared/ipc/system.ts'
import type { Notice } from '../notices/notice.ts'
import { type LoginTrouble, setStartAtLogin } from './login-item.ts'

type Options = {
  /** The command line that starts this app again. */
  readonly command: readonly string[]
  /** Whether the app runs on the fallback Electron. Sluice then writes no login entry. */
  readonly isFallback: boolean
  readonly show: (notice: Notice) => void
  readonly log: (message: string) => void
}

/** Updates the system's login entry to match the settings. */
export class StartAtLogin {
  readonly #options: Options
  #trouble: LoginTrouble | null = null
  /** The last value, so that changes of other settings do not rewrite the entry. */
  #isOn = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Why the system does not follow the setting. Null if it does. */
  get trouble(): string | null {
    return this.#trouble?.sentence ?? null
  }

  /** Rewrites the entry, because the app may have been moved or updated. */
  start(isOn: boolean): void {
    this.#isOn = isOn
    if (isOn) this.#apply(true, 'start')
  }

  set(isOn: boolean): void {
    if (isOn === this.#isOn) return
    this.#isOn = isOn
    this.#apply(isOn, 'user')
  }

  #apply(isOn: boolean, by: 'user' | 'start'): void {
    const { command, isFallback, show, log } = this.#options
    const trouble = setStartAtLogin(
      {
        platform: process.platform,
        app,
        command: [...command, '--hidden'],
        configFolder: app.getPath('appData'),
        isFallback,
      },
      isOn,
      by,
    )
    this.#trouble = trouble
    if (trouble === null) return
    log(trouble.sentence)
    // A user who turned the entry off in the system's settings needs no notice. A user who has just turned the setting
    // on in Sluice needs the reason.
    if (trouble.kind === 'switched-off' && by === 'start') return
    const title = systemWords[systemOf(process.platform)].startAtLogin
    show({ title, body: trouble.sentence, to: 'general' })
  }
}
