import type { CallArgs } from '../../../shared/ipc/ipc.ts'
import { type ActivityGroup, activityGroups, activityGroupWords } from '../../../shared/status/activity.ts'
import type { Choice } from '../../components/Choices.tsx'
import { parseTypedDay } from '../../data/typed-day.ts'

export type ActivityFilters = {
  readonly text: string
  readonly group: 'all' | ActivityGroup
  readonly time: 'any' | 'today' | 'week' | 'month' | 'between'
  readonly from: string
  readonly to: string
}

export const noActivityFilters: ActivityFilters = { text: '', group: 'all', time: 'any', from: '', to: '' }

export const groupChoices: readonly Choice<ActivityFilters['group']>[] = [
  { id: 'all', word: 'All' },
  ...activityGroups.map((id) => ({ id, word: activityGroupWords[id] })),
]

export const timeChoices: readonly Choice<ActivityFilters['time']>[] = [
  { id: 'any', word: 'Any time' },
  { id: 'today', word: 'Today' },
  { id: 'week', word: 'Last 7 days' },
  { id: 'month', word: 'Last 30 days' },
  { id: 'between', word: 'Between two dates…' },
]

const daysBack = (now: Date, days: number): string =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString()

const rangeOf = ({ time, from, to }: ActivityFilters, now: Date): { from?: string; to?: string } => {
  switch (time) {
    case 'any':
      return {}
    case 'today':
      return { from: daysBack(now, 0) }
    case 'week':
      return { from: daysBack(now, 6) }
    case 'month':
      return { from: daysBack(now, 29) }
    case 'between': {
      const [firstDay, dayAfterLast] = [parseTypedDay(from), parseTypedDay(to, 1)]
      return {
        ...(firstDay === null ? {} : { from: firstDay }),
        ...(dayAfterLast === null ? {} : { to: dayAfterLast }),
      }
    }
  }
}

export const activityQuery = (
  filters: ActivityFilters,
  now: Date,
): Omit<CallArgs<'listActivity'>, 'before' | 'limit'> => ({
  text: filters.text,
  groups: filters.group === 'all' ? [] : [filters.group],
  ...rangeOf(filters, now),
})
