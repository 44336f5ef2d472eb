import { useState } from 'react'
import { formatMoment } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useDebounced } from '../../data/use-debounced.ts'
import { useLoad } from '../../data/use-load.ts'
import { useNow } from '../../data/use-now.ts'
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
  /** The cursors of the pages up to this one. The server returns only the cursor of the next page. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const search = useDebounced(filters.search, TYPING_PAUSE_MS)
  const cursor = cursors.at(-1) ?? null
  const key = JSON.stringify([{ ...filters, search }, cursor])
  const page = useLoad(key, async () => ({
    key,
    answer: await loadSessions(server, { ...filters, search }, cursor),
  }))
  const answer = page.data?.answer ?? null
  // Only the first page changes by itself: new sessions never move to an older page.
  useReloadEvery(RELOAD_EVERY_MS, () => {
    if (cursor === null && search.trim() === '') page.reload()
  })

  const changeFilters = (next: LabFilters) => {
    onFilter(next)
    setCursors([])
  }
  const open = (id: string | null) => goTo({ screen: 'sessions', sessionId: id })
  const openOlder = () => {
    const next = answer?.nextCursor
    if (next != null && page.data?.key === key) setCursors([...cursors, next])
  }

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
          <div className="pager">
            <span className="quiet small" role="status">
              {page.isLoading && page.data?.key !== key
                ? search.trim() === ''
                  ? 'Loading…'
                  : 'Searching…'
                : `Page ${cursors.length + 1}${
                    answer?.searchedTo == null
                      ? ''
                      : `, searched back to ${formatMoment(answer.searchedTo, now)}`
                  }`}
            </span>
            <Button
              size="small"
              icon="left"
              isDisabled={cursors.length === 0}
              onPress={() => setCursors(cursors.slice(0, -1))}
            >
              Newer
            </Button>
            <Button
              size="small"
              endIcon="right"
              isDisabled={answer?.nextCursor == null || page.data?.key !== key}
              onPress={openOlder}
            >
              {answer?.searchedTo == null ? 'Older' : 'Search older'}
            </Button>
          </div>
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
