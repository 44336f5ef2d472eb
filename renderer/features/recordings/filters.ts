import type { CallArgs } from '../../../shared/ipc.ts'
import { type ProblemCode, type RecordingState, recordingStates } from '../../../shared/status.ts'
import { recordingWords } from '../../../shared/words.ts'
import type { Choice } from '../../components/Choices.tsx'
import { typedDay } from '../../data/typed-day.ts'

export type ListQuery = Omit<CallArgs<'listRecordings'>, 'offset' | 'limit'>
export type SortColumn = NonNullable<ListQuery['sort']>

export type StateChoice = 'all' | 'moving' | 'attention' | RecordingState
export type DateChoice = 'any' | 'today' | 'night' | 'week' | 'month' | 'between'

export type Filters = {
  readonly text: string
  readonly state: StateChoice
  readonly folder: string
  readonly date: DateChoice
  readonly from: string
  readonly to: string
  readonly problem: ProblemCode | null
  readonly sort: SortColumn
  readonly descending: boolean
}

export const noFilters: Filters = {
  text: '',
  state: 'all',
  folder: '',
  date: 'any',
  from: '',
  to: '',
  problem: null,
  sort: 'found',
  descending: true,
}

export const stateChoices: readonly Choice<StateChoice>[] = [
  { id: 'all', word: 'All states' },
  { id: 'moving', word: 'On the way' },
  { id: 'attention', word: 'Needs you' },
  ...recordingStates.map((state) => ({ id: state, word: recordingWords[state] })),
]

export const dateChoices: readonly Choice<DateChoice>[] = [
  { id: 'any', word: 'Any time' },
  { id: 'today', word: 'Today' },
  { id: 'night', word: 'Since yesterday 18:00' },
  { id: 'week', word: 'Last 7 days' },
  { id: 'month', word: 'Last 30 days' },
  { id: 'between', word: 'Between two dates…' },
]

const statesOf = (choice: StateChoice): RecordingState[] => {
  switch (choice) {
    case 'all':
    case 'attention':
      return []
    case 'moving':
      return ['growing', 'queued', 'hashing', 'ready', 'uploading', 'completing', 'processing']
    default:
      return [choice]
  }
}

const localDay = (now: Date, daysBack: number, hour = 0): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack, hour)

type Range = { readonly from?: string; readonly to?: string }

export const dateRange = (filters: Pick<Filters, 'date' | 'from' | 'to'>, now: Date): Range => {
  switch (filters.date) {
    case 'any':
      return {}
    case 'today':
      return { from: localDay(now, 0).toISOString() }
    case 'night':
      return { from: localDay(now, 1, 18).toISOString() }
    case 'week':
      return { from: localDay(now, 6).toISOString() }
    case 'month':
      return { from: localDay(now, 29).toISOString() }
    case 'between': {
      const from = typedDay(filters.from)
      const to = typedDay(filters.to, 1)
      return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
    }
  }
}

export const queryOf = (filters: Filters, now: Date): ListQuery => ({
  text: filters.text.trim(),
  states: statesOf(filters.state),
  sort: filters.sort,
  descending: filters.descending,
  ...(filters.state === 'attention' ? { needsSomebody: true } : {}),
  ...(filters.folder === '' ? {} : { folder: filters.folder }),
  ...(filters.problem === null ? {} : { problem: filters.problem }),
  ...dateRange(filters, now),
})

export const isFiltered = (filters: Filters): boolean =>
  filters.text.trim() !== '' ||
  filters.state !== 'all' ||
  filters.folder !== '' ||
  filters.date !== 'any' ||
  filters.problem !== null
