import { useState } from 'react'
import { formatMoment } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useDebounced } from '../../data/use-debounced.ts'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
import { Pager } from '../../features/sessions/Pager.tsx'
import { SessionTable } from '../../features/sessions/SessionTable.tsx'
import '../../features/sessions/sessions.css'
import { goTo } from '../data/place.ts'
import { useSignedIn } from '../data/SignedIn.tsx'
import { useReloadEvery } from '../data/use-reload-every.ts'
import { FilterBar } from './FilterBar.tsx'
import { SessionPane } from './SessionPane.tsx'
import { type LabFilters, loadSessions, noFilters, type SessionPage } from './session-query.ts'

const TYPING_PAUSE_MS = 300
const RELOAD_EVERY_MS = 30_000

type Props = {
  readonly openId: string | null
  readonly filters: LabFilters
  readonly onFilter: (filters: LabFilters) => void
}

export function Sessions({ openId, filters, onFilter }: Props) {
  const { server } = useSignedIn()
  const now = useNow()
  const [cursors, setCursors] = useState<readonly string[]>([])
  const search = useDebounced(filters.search, TYPING_PAUSE_MS)
  const cursor = cursors.at(-1) ?? null
  const key = JSON.stringify([{ ...filters, search }, cursor])
  const page = useLoad(key, async () => ({
    key,
    answer: await loadSessions(server, { ...filters, search }, cursor),
  }))
  const answer = page.data?.answer ?? null
  // Only the first page reloads by itself, because new sessions appear only there. A search does not reload.
  useReloadEvery(RELOAD_EVERY_MS, () => {
    if (cursor === null && search.trim() === '') page.reload()
  })

  const changeFilters = (next: LabFilters) => {
    onFilter(next)
    setCursors([])
  }
  const open = (id: string | null) => goTo({ screen: 'sessions', sessionId: id })
  const searchedTo = answer?.searchedTo ?? null
  const loadingWord = search.trim() === '' ? 'Loading…' : 'Searching…'
  const searchedWords = searchedTo === null ? '' : `, searched back to ${formatMoment(searchedTo, now)}`
  const pageWords = `Page ${cursors.length + 1}${searchedWords}`

  return (
    <Screen fillsWindow title="Sessions" intro="The recordings of all stations, newest first.">
      <FilterBar filters={filters} onChange={changeFilters} />
      <div className="with-pane">
        <div className="session-list">
          {page.error !== null && answer !== null && (
            <Banner tone="warn" action={<Button onPress={page.reload}>Try again</Button>}>
              {page.error} The list may be outdated.
            </Banner>
          )}
          <SessionRows
            answer={answer}
            error={page.error}
            isFiltered={JSON.stringify(filters) !== JSON.stringify(noFilters)}
            openId={openId}
            onOpen={open}
            onReload={page.reload}
            onClear={() => changeFilters(noFilters)}
          />
          <Pager
            status={page.isLoading && page.data?.key !== key ? loadingWord : pageWords}
            cursors={cursors}
            nextCursor={page.data?.key === key ? (answer?.nextCursor ?? null) : null}
            olderWord={searchedTo === null ? 'Older' : 'Search older'}
            onChange={setCursors}
          />
        </div>
        {openId !== null && <SessionPane key={openId} id={openId} onClose={() => open(null)} />}
      </div>
    </Screen>
  )
}

type RowsProps = {
  readonly answer: SessionPage | null
  readonly error: string | null
  readonly isFiltered: boolean
  readonly openId: string | null
  readonly onOpen: (id: string) => void
  readonly onReload: () => void
  readonly onClear: () => void
}

function SessionRows({ answer, error, isFiltered, openId, onOpen, onReload, onClear }: RowsProps) {
  if (answer === null && error !== null)
    return (
      <Placeholder
        icon="offline"
        title="The sessions are unavailable"
        text={error}
        action={<Button onPress={onReload}>Try again</Button>}
      />
    )
  if (answer === null) return <LoadingRows rows={8} label="Loading" />
  if (answer.sessions.length > 0)
    return <SessionTable sessions={answer.sessions} openId={openId} onOpen={({ id }) => onOpen(id)} />
  if (isFiltered)
    return (
      <Placeholder
        icon="search"
        title="No session matches"
        text="The server has no session with this text, site, status and date."
        action={<Button onPress={onClear}>Clear filters</Button>}
      />
    )
  return (
    <Placeholder
      icon="sessions"
      title="There are no sessions yet"
      text="Recordings of all stations show up here when their upload starts."
    />
  )
}
