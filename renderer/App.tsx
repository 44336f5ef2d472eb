import { useEffect, useState } from 'react'
import { bridge } from './bridge.ts'
import { ErrorBoundary } from './components/ErrorBoundary.tsx'
import { FolderDropProvider, useFolderDrop } from './components/FolderDrop.tsx'
import { KeyboardShortcuts } from './components/KeyboardShortcuts.tsx'
import { Sidebar } from './components/Sidebar.tsx'
import { StatusBar } from './components/StatusBar.tsx'
import { TestKeyBanner } from './components/TestKeyBanner.tsx'
import { AgentProvider } from './data/AgentView.tsx'
import { NoticeProvider } from './data/Notices.tsx'
import { SavedViewProvider, usePreventUnload } from './data/SavedView.tsx'
import { SettingsProvider, useSettings } from './data/SettingsView.tsx'
import { usePlace } from './data/use-place.ts'
import { type Screens, useFirstRun, useScreens } from './data/use-screens.ts'
import { useTheme } from './data/use-theme.ts'
import { useWindowTitle } from './data/use-window-title.ts'
import { Overview } from './features/overview/Overview.tsx'
import type { Place } from './navigation.ts'

type GoTo = (place: Place) => void

type ScreenProps = { readonly place: Place; readonly goTo: GoTo; readonly screens: Screens | null }

function ScreenAt({ place, goTo, screens }: ScreenProps) {
  if (place.screen === 'overview') return <Overview goTo={goTo} />
  return screens !== null && <OtherScreen place={place} goTo={goTo} screens={screens} />
}

function OtherScreen({ place, goTo, screens }: ScreenProps & { readonly screens: Screens }) {
  const { Activity, Diagnostics, Folders, General, Monitoring, Recordings, Service, Sessions, Transfer } =
    screens
  switch (place.screen) {
    case 'overview':
      return null
    case 'recordings':
      return <Recordings key={JSON.stringify(place)} place={place} goTo={goTo} />
    case 'sessions':
      return <Sessions />
    case 'activity':
      return <Activity goTo={goTo} />
    case 'folders':
      return (
        <Folders key={place.visit ?? 0} fix={place.fix ?? null} droppedPath={place.droppedPath ?? null} />
      )
    case 'service':
      return <Service />
    case 'transfer':
      return <Transfer />
    case 'monitoring':
      return <Monitoring />
    case 'general':
      return <General />
    case 'diagnostics':
      return <Diagnostics />
  }
}

function Pages() {
  const { state } = useSettings()
  const [place, goTo] = usePlace()
  // The first run stays open until the user leaves it: saving the settings must not close it before its last step.
  const [isSettingUp, setIsSettingUp] = useState<boolean | null>(null)
  useTheme(state?.settings.app.theme ?? 'system')
  useWindowTitle()
  // A component that is mounted later, such as the first run or a dialog, takes precedence.
  useFolderDrop((droppedPath) => goTo({ screen: 'folders', droppedPath }))

  const isFirstRun = isSettingUp ?? (state !== null && state.settings.service === undefined)
  usePreventUnload(isFirstRun)
  const firstRunBundle = useFirstRun(isFirstRun)
  const isDrawn = state !== null && (!isFirstRun || firstRunBundle !== null)
  const screens = useScreens(place.screen !== 'overview', isDrawn)
  useEffect(() => {
    if (isDrawn) void bridge.call.pageDrawn()
  }, [isDrawn])

  if (state === null) return null
  if (isFirstRun)
    return (
      firstRunBundle !== null && (
        <firstRunBundle.FirstRun onStart={() => setIsSettingUp(true)} onDone={() => setIsSettingUp(false)} />
      )
    )
  return (
    <div className="app">
      <Sidebar place={place} goTo={goTo} />
      <main className="main" id="main">
        <TestKeyBanner />
        <ErrorBoundary key={place.screen}>
          <ScreenAt place={place} goTo={goTo} screens={screens} />
        </ErrorBoundary>
      </main>
      <StatusBar />
      <KeyboardShortcuts />
    </div>
  )
}

export function App() {
  return (
    <AgentProvider>
      <SettingsProvider>
        <SavedViewProvider>
          <NoticeProvider>
            <FolderDropProvider>
              <Pages />
            </FolderDropProvider>
          </NoticeProvider>
        </SavedViewProvider>
      </SettingsProvider>
    </AgentProvider>
  )
}
