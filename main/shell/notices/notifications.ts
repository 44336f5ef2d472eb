import { Notification, shell } from 'electron'
import { systemOf } from '../../../shared/ipc/system.ts'
import type { DraftSettings } from '../../../shared/settings/settings.ts'
import type { Status } from '../../../shared/status/status.ts'
import type { Notice } from './notice.ts'
import { canStillBeClicked, noticeOptions } from './notice-options.ts'
import { decideNotices, emptyMemory } from './notify-decision.ts'

type Options = {
  readonly settings: () => DraftSettings['app']
  readonly open: (to: string) => void
  readonly log: (message: string) => void
}

/** Windows keeps this many notifications per app in its list. */
const MAX_NOTIFICATIONS = 20

export class Notifications {
  readonly #options: Options
  readonly #system = systemOf(process.platform)
  /** Keeps open notifications in memory, because a garbage-collected notification ignores clicks. */
  readonly #references = new Set<Notification>()
  #memory = emptyMemory

  constructor(options: Options) {
    this.#options = options
  }

  setStatus(status: Status): void {
    const { memory, notices, hasSound } = decideNotices(
      this.#memory,
      status,
      this.#options.settings(),
      new Date(),
    )
    this.#memory = memory
    if (hasSound) shell.beep()
    // Name the station, because another PC may show the notification too.
    for (const notice of notices) this.show({ ...notice, body: `${notice.body} (${status.station.name})` })
  }

  show(notice: Notice): void {
    if (!Notification.isSupported()) return
    const notification = new Notification(noticeOptions(this.#system, notice))
    const forget = () => this.#references.delete(notification)
    const open = () => {
      forget()
      this.#options.open(notice.to)
    }
    notification.on('click', open)
    notification.on('action', open)
    notification.on('close', ({ reason }) => {
      if (!canStillBeClicked(this.#system, reason)) forget()
    })
    // For example, macOS shows no notifications of an unsigned build.
    notification.on('failed', (_event, reason) => {
      forget()
      this.#options.log(`notification not shown: ${reason}`)
    })
    this.#keepReference(notification)
    notification.show()
  }

  #keepReference(notification: Notification): void {
    this.#references.add(notification)
    const [oldest] = this.#references
    if (oldest !== undefined && this.#references.size > MAX_NOTIFICATIONS) this.#references.delete(oldest)
  }
}
