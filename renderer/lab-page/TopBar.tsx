import { useEffect } from 'react'
import { BrandMark } from '../components/BrandMark.tsx'
import { Button } from '../components/Button.tsx'
import { Icon, type IconName } from '../components/Icon.tsx'
import { hashOf, type Screen, screens } from './data/place.ts'
import { useSignedIn } from './data/SignedIn.tsx'

const items: Readonly<Record<Screen, { readonly word: string; readonly icon: IconName }>> = {
  sessions: { word: 'Sessions', icon: 'sessions' },
  stations: { word: 'Stations', icon: 'monitoring' },
  storage: { word: 'Storage', icon: 'overview' },
}

export function TopBar({ screen }: { readonly screen: Screen }) {
  const { account, signOut } = useSignedIn()
  const title = `${items[screen].word} · ${account.organisation} · Sluice`
  useEffect(() => {
    document.title = title
    return () => {
      document.title = 'Sluice'
    }
  }, [title])
  return (
    <header className="top-bar">
      <p className="brand">
        <BrandMark />
        <span>Sluice</span>
      </p>
      <nav className="top-nav" aria-label="Screens">
        {screens.map((candidate) => (
          <a
            key={candidate}
            className="top-nav-item"
            href={hashOf({ screen: candidate, sessionId: null })}
            aria-current={candidate === screen ? 'page' : undefined}
          >
            <Icon name={items[candidate].icon} />
            {items[candidate].word}
          </a>
        ))}
      </nav>
      <p className="top-organisation truncate" title={account.organisation}>
        {account.organisation}
      </p>
      <Button size="small" onPress={signOut}>
        Sign out
      </Button>
    </header>
  )
}
