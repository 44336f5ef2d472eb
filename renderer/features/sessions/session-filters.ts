import type { SessionStatus } from '../../../shared/contract/control-api.ts'
import type { CallArgs } from '../../../shared/ipc/ipc.ts'
import type { Choice } from '../../components/Choices.tsx'
import { sessionStatusWords } from '../../components/SessionStatus.tsx'
import { parseTypedDay } from '../../data/typed-day.ts'

export type StatusChoice = 'any' | SessionStatus
export type SessionFilters = {
  readonly site: string
  readonly status: StatusChoice
  readonly from: string
  readonly to: string
}

export const noSessionFilters: SessionFilters = { site: '', status: 'any', from: '', to: '' }

export const statusChoices: readonly Choice<StatusChoice>[] = [
  { id: 'any', word: 'Any status' },
  ...Object.entries(sessionStatusWords).map(([id, word]) => ({ id: id as SessionStatus, word })),
]

export const sessionQuery = (filters: SessionFilters, cursor: string | null): CallArgs<'listSessions'> => {
  const site = filters.site.trim()
  const createdFrom = parseTypedDay(filters.from)
  const createdBefore = parseTypedDay(filters.to, 1)
  return {
    limit: 50,
    ...(site === '' ? {} : { site }),
    ...(filters.status === 'any' ? {} : { status: filters.status }),
    ...(createdFrom === null ? {} : { createdFrom }),
    ...(createdBefore === null ? {} : { createdBefore }),
    ...(cursor === null ? {} : { cursor }),
  }
}
