import { Segments } from '../../components/Choices.tsx'
import { Screen } from '../../components/Screen.tsx'
import { useSavedState } from '../../data/SavedView.tsx'
import type { Place } from '../../navigation.ts'
import { ActivityList } from './ActivityList.tsx'
import { ProgramLog } from './ProgramLog.tsx'
import './activity.css'

const views = [
  { id: 'activity', word: 'What happened' },
  { id: 'log', word: 'Technical log' },
] as const

export function Activity({ goTo }: { readonly goTo: (place: Place) => void }) {
  const [view, setView] = useSavedState<(typeof views)[number]['id']>('activity.view', () => 'activity')
  return (
    <Screen
      fillsWindow
      title="Activity"
      intro={view === 'activity' ? 'What happened at this station.' : 'Technical log for support.'}
      actions={<Segments label="View" choices={views} value={view} onChange={setView} />}
    >
      <div className="activity">{view === 'activity' ? <ActivityList goTo={goTo} /> : <ProgramLog />}</div>
    </Screen>
  )
}
