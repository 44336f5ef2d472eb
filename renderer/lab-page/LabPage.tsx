import { useMemo, useState } from 'react'
import { Banner } from '../components/Banner.tsx'
import { Button } from '../components/Button.tsx'
import { ErrorBoundary } from '../components/ErrorBoundary.tsx'
import { LoadingRows, Placeholder } from '../components/Placeholder.tsx'
import { useLoad } from '../data/use-load.ts'
import type { Account, StationList } from './data/answers.ts'
import { usePlace } from './data/place.ts'
import { SignedInProvider } from './data/SignedIn.tsx'
import { type KeyRefused, Server } from './data/server.ts'
import { storedKey } from './data/stored-key.ts'
import { useReloadEvery } from './data/use-reload-every.ts'
import { SignIn } from './SignIn.tsx'
import { Stations } from './Stations.tsx'
import { Storage } from './Storage.tsx'
import { Sessions } from './sessions/Sessions.tsx'
import { noFilters } from './sessions/session-query.ts'
import { TopBar } from './TopBar.tsx'

const RELOAD_EVERY_MS = 30_000

export function LabPage() {
  const [key, setKey] = useState(() => storedKey.read())
  const [message, setMessage] = useState<string | null>(null)
  const end = (reason: string | null) => {
    storedKey.remove()
    setKey(null)
    setMessage(reason)
  }
  if (key === null)
    return (
      <SignIn
        message={message}
        onSignedIn={(newKey) => {
          storedKey.write(newKey)
          setKey(newKey)
        }}
      />
    )
  // A different key means a different user, so the pages keep no state of the earlier key.
  return <SignedInPages key={key} apiKey={key} onEnd={end} />
}

type Props = { readonly apiKey: string; readonly onEnd: (reason: string | null) => void }

function SignedInPages({ apiKey, onEnd }: Props) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onEnd` reads no state, so its first version stays valid.
  const server = useMemo(() => new Server(apiKey, (error: KeyRefused) => onEnd(error.message)), [apiKey])
  const place = usePlace()
  const [filters, setFilters] = useState(noFilters)
  const account = useLoad('account', () => server.get<Account>('/page/account'))
  const stations = useLoad('stations', () => server.get<StationList>('/page/stations'))
  useReloadEvery(RELOAD_EVERY_MS, () => {
    account.reload()
    stations.reload()
  })

  if (account.data === null && account.error !== null)
    return (
      <main className="sign-in">
        <Placeholder
          icon="offline"
          title="The server is not available"
          text={account.error}
          action={
            <div className="row">
              <Button onPress={account.reload}>Try again</Button>
              <Button onPress={() => onEnd(null)}>Sign out</Button>
            </div>
          }
        />
      </main>
    )
  if (account.data === null)
    return (
      <main className="sign-in">
        <LoadingRows rows={3} label="Loading" />
      </main>
    )

  const renderScreen = () => {
    switch (place.screen) {
      case 'sessions':
        return <Sessions openId={place.sessionId} filters={filters} onFilter={setFilters} />
      case 'stations':
        return <Stations onFilter={setFilters} />
      case 'storage':
        return <Storage />
    }
  }
  return (
    <SignedInProvider value={{ server, account: account.data, stations, signOut: () => onEnd(null) }}>
      <div className="lab">
        <TopBar screen={place.screen} />
        <main className="main" id="main">
          {account.data.key.can_write && (
            <div className="main-banner">
              <Banner tone="warn">
                This key can also upload and delete recordings. Sign in with a read key instead.
              </Banner>
            </div>
          )}
          <ErrorBoundary key={place.screen}>{renderScreen()}</ErrorBoundary>
        </main>
      </div>
    </SignedInProvider>
  )
}
