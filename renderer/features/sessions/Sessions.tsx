import { useEffect, useRef } from 'react'
import type { SessionSummary } from '../../../shared/status/status.ts'
import { Button } from '../../components/Button.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useAgent } from '../../data/AgentView.tsx'
import { ask } from '../../data/ask.ts'
import { useSavedState } from '../../data/SavedView.tsx'
import { useDebounced } from '../../data/use-debounced.ts'
import { useLoad } from '../../data/use-load.ts'
import { Pager } from './Pager.tsx'
import { SessionFilterBar } from './SessionFilterBar.tsx'
import { SessionPane } from './SessionPane.tsx'
import { SessionTable } from './SessionTable.tsx'
import { noSessionFilters, type SessionFilters, sessionQuery } from './session-filters.ts'
import './sessions.css'

const TYPING_PAUSE_MS = 300

export function Sessions() {
  const { health } = useAgent()
  const [filters, setFilters] = useSavedState<SessionFilters>('sessions.filters', () => noSessionFilters)
  const [cursors, setCursors] = useSavedState<readonly string[]>('sessions.cursors', () => [])
  const [openSession, setOpenSession] = useSavedState<SessionSummary | null>('sessions.open', () => null)
  const site = useDebounced(filters.site, TYPING_PAUSE_MS)
  const query = sessionQuery({ ...filters, site }, cursors.at(-1) ?? null)
  const key = JSON.stringify(query)
  const page = useLoad(health.state === 'running' ? key : null, async () => ({
    key,
    answer: await ask('listSessions', query),
  }))
  const answer = page.data?.answer ?? null
  const isFiltered = JSON.stringify(filters) !== JSON.stringify(noSessionFilters)

  /** The deleted session, until its row is gone and the focus moves to the title. */
  const deletedId = useRef<string | null>(null)
  useEffect(() => {
    const id = deletedId.current
    if (id === null || answer === null || answer.sessions.some((session) => session.id === id)) return
    deletedId.current = null
    // React Aria may still move the focus one frame after the dialog closes. So wait two frames.
    const focus = () => document.getElementById('screen-title')?.focus()
    requestAnimationFrame(() => requestAnimationFrame(focus))
  }, [answer])

  const changeFilters = (next: SessionFilters) => {
    setFilters(next)
    setCursors([])
  }

  const renderContent = () => {
    if (page.error !== null)
      return (
        <Placeholder
          icon="offline"
          title="The sessions are unavailable"
          text={page.error}
          action={<Button onPress={page.reload}>Try again</Button>}
        />
      )
    if (answer === null) return <LoadingRows rows={8} label="Loading" />
    if (answer.sessions.length === 0 && isFiltered)
      return (
        <Placeholder
          icon="search"
          title="No session matches"
          text="The service has no session with this site, status and date."
          action={<Button onPress={() => changeFilters(noSessionFilters)}>Clear filters</Button>}
        />
      )
    if (answer.sessions.length === 0)
      return (
        <Placeholder
          icon="sessions"
          title="The service has no sessions yet"
          text="Recordings of all stations show up here when their upload starts."
        />
      )
    return (
      <SessionTable sessions={answer.sessions} openId={openSession?.id ?? null} onOpen={setOpenSession} />
    )
  }

  return (
    <Screen
      fillsWindow
      title="Service sessions"
      intro="All sessions of your organisation, from all stations."
    >
      <SessionFilterBar filters={filters} onChange={changeFilters} />
      <div className="with-pane">
        <div className="session-list">
          {renderContent()}
          <Pager
            status={page.isLoading && answer !== null ? 'Loading…' : `Page ${cursors.length + 1}`}
            cursors={cursors}
            nextCursor={page.data?.key === key ? (answer?.nextCursor ?? null) : null}
            onChange={setCursors}
          />
        </div>
        {openSession !== null && (
          <SessionPane
            key={openSession.id}
            listedSession={openSession}
            onClose={() => setOpenSession(null)}
            onDeleted={() => {
              deletedId.current = openSession.id
              setOpenSession(null)
              page.reload()
            }}
          />
        )}
      </div>
    </Screen>
  )
}
