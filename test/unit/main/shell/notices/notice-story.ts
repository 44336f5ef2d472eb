import {
  decideNotices,
  emptyMemory,
  type NotifyMemory,
} from '../../../../../main/shell/notices/notify-decision.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { Status } from '../../../../../shared/status/status.ts'
import { aStatus } from '../status-fixture.ts'

export const settings = draftSettingsSchema.parse({}).app
export const withQuietHours = { ...settings, quiet_hours: { from: '22:00', to: '07:00' } }
export const noon = new Date(2026, 2, 12, 12, 0)
export const night = new Date(2026, 2, 12, 3, 0)
export const morning = new Date(2026, 2, 12, 7, 30)

const { headline } = aStatus().station

/** Returns what a notification is about: its title, or the start of its body if the title is the headline. */
export const subjectOf = ({ title, body }: { readonly title: string; readonly body: string }): string =>
  title === headline ? body.replace(/(?:: |\. |\.$).*/s, '') : title

/** Applies the statuses in order, and returns the subjects of the notifications after each status. */
export const subjectsFor = (
  story: readonly [Status, Date][],
  appSettings = settings,
): readonly (readonly string[])[] => {
  let memory: NotifyMemory = emptyMemory
  return story.map(([status, now]) => {
    const decision = decideNotices(memory, status, appSettings, now)
    memory = decision.memory
    return decision.notices.map(subjectOf)
  })
}
