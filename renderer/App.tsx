import { useState } from 'react'
import { ErrorBoundary } from './components/ErrorBoundary.tsx'
import { FolderDropProvider, useFolderDrop } from './components/FolderDrop.tsx'
import { Keys } from './components/Keys.tsx'
import { Sidebar } from './components/Sidebar.tsx'
import { StatusBar } from './components/StatusBar.tsx'
import { AgentProvider } from './data/AgentView.tsx'
import { NoticeProvider } from './data/Notices.tsx'
import { SettingsProvider, useSettings } from './data/SettingsView.tsx'
import { usePlace } from './data/use-place.ts'
import { useTheme } from './data/use-theme.ts'
import { useWindowTitle } from './data/use-window-title.ts'
import { Activity } from './features/activity/Activity.tsx'
import { Appearance } from './features/appearance/Appearance.tsx'
import { Diagnostics } from './features/diagnostics/Diagnostics.tsx'
import { FirstRun } from './features/first-run/FirstRun.tsx'
import { Folders } from './features/folders/Folders.tsx'
import { Monitoring } from './features/monitoring/Monitoring.tsx'
import { Overview } from './features/overview/Overview.tsx'
import { Recordings } from './features/recordings/Recordings.tsx'
import { Service } from './features/service/Service.tsx'
import { Sessions } from './features/sessions/Sessions.tsx'
import { Transfer } from './features/transfer/Transfer.tsx'
import type { Place } from './navigation.ts'

type GoTo = (place: Place) => void

function ScreenAt({ place, goTo }: { readonly place: Place; readonly goTo: GoTo }) {
  switch (place.screen) {
    case 'overview':
      return <Overview goTo={goTo} />
    case 'recordings':
      return <Recordings key={JSON.stringify(place)} place={place} goTo={goTo} />
    case 'sessions':
      return <Sessions />
    case 'activity':
      return <Activity goTo={goTo} />
    case 'folders':
      return <Folders key={place.visit ?? 0} mend={place.mend ?? null} dropped={place.dropped ?? null} />
    case 'service':
      return <Service />
    case 'transfer':
      return <Transfer />
    case 'monitoring':
      return <Monitoring />
    case 'appearance':
      return <Appearance />
    case 'diagnostics':
      return <Diagnostics />
  }
}

function Pages() {
  const { state } = useSettings()
  const [place, goTo] = usePlace()
  // Held open until the person leaves it: saving the last step must not take its last page away.
  const [settingUp, setSettingUp] = useState<boolean | null>(null)
  useTheme(state?.settings.app.theme ?? 'system')
  useWindowTitle()
  // What is mounted later (the first run, a dialog) takes it instead.
  useFolderDrop((dropped) => goTo({ screen: 'folders', dropped }))

  if (state === null) return null
  const firstRun = settingUp ?? state.settings.service === undefined
  if (firstRun) return <FirstRun onStart={() => setSettingUp(true)} onDone={() => setSettingUp(false)} />
  return (
    <div className="app">
      <Sidebar place={place} goTo={goTo} />
      <main className="main" id="main">
        <ErrorBoundary key={place.screen}>
          <ScreenAt place={place} goTo={goTo} />
        </ErrorBoundary>
      </main>
      <StatusBar />
      <Keys />
    </div>
  )
}

export function App() {
  return (
    <AgentProvider>
      <SettingsProvider>
        <NoticeProvider>
          <FolderDropProvider>
            <Pages />
          </FolderDropProvider>
        </NoticeProvider>
      </SettingsProvider>
    </AgentProvider>
  )
}
