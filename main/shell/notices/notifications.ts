import { Notification } from 'electron'
import type { DraftSettings } from '../../../shared/settings.ts'
import type { Status } from '../../../shared/status.ts'
import { decideNotices, freshMemory, type Notice } from './notify-decision.ts'

type Options = {
  readonly settings: () => DraftSettings['app']
  readonly open: (to: string) => void
  readonly log: (message: string) => void
}

export class Notifications {
  readonly #options: Options
  /** Held until closed: one that is collected no longer answers a click. */
  readonly #shown = new Set<Notification>()
  #memory = freshMemory

  constructor(options: Options) {
    this.#options = options
  }

  setStatus(status: Status): void {
    const { memory, notices } = decideNotices(this.#memory, status, this.#options.settings(), new Date())
    this.#memory = memory
    // A notification may be read on another screen than the one that it is about.
    for (const notice of notices) this.show({ ...notice, body: `${notice.body} (${status.station.name})` })
  }

  show({ title, body, to }: Notice): void {
    if (!Notification.isSupported()) return
    const notification = new Notification({ title, body })
    const gone = () => this.#shown.delete(notification)
    notification.on('click', () => {
      gone()
      this.#options.open(to)
    })
    notification.on('close', gone)
    // Unsigned builds may not show any on macOS.
    notification.on('failed', (_event, reason) => {
      gone()
      this.#options.log(`notification not shown: ${reason}`)
    })
    this.#shown.add(notification)
    notification.show()
  }
}
