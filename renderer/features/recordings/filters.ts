import type { CallArgs } from '../../../shared/ipc/ipc.ts'
import { standingsIn } from '../../../shared/status/night-parts.ts'
import { nightAt, nightNamed } from '../../../shared/status/nights.ts'
import type { ProblemCode } from '../../../shared/status/problem.ts'
import type { Standing } from '../../../shared/status/standing.ts'
import { formatTimeOfDay } from '../../../shared/words/format.ts'
import type { Choice } from '../../components/Choices.tsx'
import { parseTypedDay } from '../../data/typed-day.ts'
import type { StandingChoice } from '../../navigation.ts'

export type ListQuery = Omit<CallArgs<'listRecordings'>, 'offset' | 'limit' | 'outline'>
export type ListFilter = Omit<ListQuery, 'sort' | 'descending' | 'pinned' | 'takes'>
export type SortColumn = NonNullable<ListQuery['sort']>

export type DateChoice = 'any' | 'today' | 'night' | 'one-night' | 'week' | 'month' | 'between'

export type Filters = {
  readonly text: string
  readonly standing: 'all' | StandingChoice
  readonly folder: string
  readonly date: DateChoice
  readonly from: string
  readonly to: string
  readonly problem: ProblemCode | null
  /** Shows this recording and all recordings queued after it: the forecast calls them at risk. */
  readonly queuedFrom: number | null
  readonly sort: SortColumn
  readonly descending: boolean
}

export const noFilters: Filters = {
  text: '',
  standing: 'all',
  folder: '',
  date: 'any',
  from: '',
  to: '',
  problem: null,
  queuedFrom: null,
  sort: 'found',
  descending: true,
}

export const dateChoices: readonly Choice<DateChoice>[] = [
  { id: 'any', word: 'Any time' },
  { id: 'today', word: 'Today' },
  { id: 'night', word: `Tonight, since ${formatTimeOfDay('18:00')}` },
  { id: 'one-night', word: 'One night…' },
  { id: 'week', word: 'Last 7 days' },
  { id: 'month', word: 'Last 30 days' },
  { id: 'between', word: 'Between two dates…' },
]

export const standingsOf = (choice: Filters['standing']): readonly Standing[] => {
  if (choice === 'all') return []
  return choice === 'here' ? standingsIn.here : [choice]
}

const localDay = (now: Date, daysBack: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack)

type Range = { readonly from?: string; readonly to?: string }

/**
 * For `night`, uses the agent's start of the night (`nightSince`), so that the list agrees with the counts on Overview.
 */
export const dateRange = (
  filters: Pick<Filters, 'date' | 'from' | 'to'>,
  now: Date,
  nightSince: string | null,
): Range => {
  switch (filters.date) {
    case 'any':
      return {}
    case 'today':
      return { from: localDay(now, 0).toISOString() }
    case 'night':
      return { from: nightSince ?? new Date(nightAt(now.getTime()).startMs).toISOString() }
    case 'one-night': {
      const night = nightNamed(filters.from)
      return night === null
        ? {}
        : { from: new Date(night.startMs).toISOString(), to: new Date(night.endMs).toISOString() }
    }
    case 'week':
      return { from: localDay(now, 6).toISOString() }
    case 'month':
      return { from: localDay(now, 29).toISOString() }
    case 'between': {
      const from = parseTypedDay(filters.from)
      const to = parseTypedDay(filters.to, 1)
      return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
    }
  }
}

export const isFiltered = (filters: Filters): boolean =>
  filters.text.trim() !== '' ||
  filters.standing !== 'all' ||
  filters.folder !== '' ||
  filters.date !== 'any' ||
  filters.problem !== null ||
  filters.queuedFrom !== null

export const queryOf = (filters: Filters, now: Date, nightSince: string | null): ListQuery => ({
  text: filters.text.trim(),
  standings: [...standingsOf(filters.standing)],
  sort: filters.sort,
  descending: filters.descending,
  // Only the full list pins problems on top. A filtered list keeps its order.
  pinned: !isFiltered(filters),
  // With a filter by standing, problem, risk or text, the list shows single files instead of takes.
  takes:
    filters.text.trim() === '' &&
    filters.standing === 'all' &&
    filters.problem === null &&
    filters.queuedFrom === null,
  ...(filters.folder === '' ? {} : { folder: filters.folder }),
  ...(filters.problem === null ? {} : { problem: filters.problem }),
  ...(filters.queuedFrom === null ? {} : { queuedFrom: filters.queuedFrom }),
  ...dateRange(filters, now, nightSince),
})

/** The part of the query that selects recordings, for an action on all matches. */
export const filterOf = ({
  sort: _sort,
  descending: _descending,
  pinned: _pinned,
  takes: _takes,
  ...filter
}: ListQuery): ListFilter => filter
