import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components'
import { conditionCodeOf } from '../../shared/status/conditions.ts'
import { foldersInTrouble, type Status } from '../../shared/status/status.ts'
import { useAgent } from '../data/AgentView.tsx'
import type { Place, Screen } from '../navigation.ts'
import { BrandMark } from './BrandMark.tsx'
import { Icon, type IconName } from './Icon.tsx'
import { PauseControl } from './PauseControl.tsx'

/** The mark beside a screen: the number of items that need attention, or "!". Screen readers read `words`. */
type Badge = { readonly mark: string; readonly words: string }

function NavBadge({ mark, words }: Badge) {
  return (
    <span className="nav-badge">
      {mark}
      <span className="visually-hidden"> {words}</span>
    </span>
  )
}

const countBadge = (count: number): Badge | undefined =>
  count === 0
    ? undefined
    : { mark: count > 99 ? '99+' : String(count), words: count === 1 ? 'needs attention' : 'need attention' }

/** The badge for a problem with the key. Screen readers read, for example, "Key missing" or "Key refused". */
const keyBadge = (status: Status | null): Badge | undefined => {
  const code = status?.station.conditions
    .map((problem) => problem.code)
    .find((candidate) => candidate.startsWith('key-'))
  const words = code === undefined ? undefined : conditionCodeOf(code)?.shortWords
  return words === undefined ? undefined : { mark: '!', words }
}

type Item = { readonly screen: Screen; readonly word: string; readonly icon: IconName }

const dailyItems: readonly Item[] = [
  { screen: 'overview', word: 'Overview', icon: 'overview' },
  { screen: 'recordings', word: 'Recordings', icon: 'recordings' },
  { screen: 'sessions', word: 'Service sessions', icon: 'sessions' },
  { screen: 'activity', word: 'Activity', icon: 'activity' },
]
const setupItems: readonly Item[] = [
  { screen: 'folders', word: 'Folders', icon: 'folder' },
  { screen: 'service', word: 'Service & key', icon: 'key' },
  { screen: 'transfer', word: 'Transfer', icon: 'transfer' },
  { screen: 'monitoring', word: 'Monitoring', icon: 'monitoring' },
  { screen: 'general', word: 'General', icon: 'general' },
  { screen: 'diagnostics', word: 'About & diagnostics', icon: 'info' },
]

type Props = { readonly place: Place; readonly goTo: (place: Place) => void }

export function Sidebar({ place, goTo }: Props) {
  const { status } = useAgent()
  const badges: Partial<Record<Screen, Badge | undefined>> = {
    recordings: countBadge(status?.needAttention ?? 0),
    folders: countBadge(foldersInTrouble(status?.folders ?? [])),
    service: keyBadge(status),
  }

  const renderItem = ({ screen, word, icon }: Item) => {
    const badge = badges[screen]
    return (
      <TooltipTrigger key={screen} delay={300}>
        <AriaButton
          className="nav-item"
          aria-current={place.screen === screen ? 'page' : false}
          onPress={() => goTo({ screen })}
        >
          <Icon name={icon} />
          <span className="nav-word">{word}</span>
          {badge !== undefined && <NavBadge {...badge} />}
        </AriaButton>
        <Tooltip className="tooltip nav-tip" placement="right" offset={10}>
          {word}
        </Tooltip>
      </TooltipTrigger>
    )
  }

  return (
    <aside className="sidebar" aria-label="Sluice">
      <p className="brand">
        <BrandMark />
        <span className="brand-word">Sluice</span>
      </p>
      {status !== null && (
        <p className="station-name quiet small truncate" title={status.station.name}>
          {status.station.name}
        </p>
      )}
      <nav className="nav" aria-label="Screens">
        {dailyItems.map(renderItem)}
        <div className="nav-gap" />
        {setupItems.map(renderItem)}
      </nav>
      <PauseControl />
    </aside>
  )
}
