import { useSyncExternalStore } from 'react'

export const screens = ['sessions', 'stations', 'storage'] as const
export type Screen = (typeof screens)[number]

/**
 * The screen and the session. The browser's back button works, because the address contains both (`#sessions/ses_…`).
 */
export type Place = { readonly screen: Screen; readonly sessionId: string | null }

const parsePlace = (hash: string): Place => {
  const [, name, id] = /^#(\w+)(?:\/(\w+))?$/.exec(hash) ?? []
  const screen = screens.find((candidate) => candidate === name) ?? 'sessions'
  return { screen, sessionId: screen === 'sessions' ? (id ?? null) : null }
}

export const hashOf = ({ screen, sessionId }: Place): string =>
  sessionId === null ? `#${screen}` : `#${screen}/${sessionId}`

export const goTo = (place: Place): void => {
  window.location.hash = hashOf(place)
}

const subscribe = (onChange: () => void) => {
  window.addEventListener('hashchange', onChange)
  return () => window.removeEventListener('hashchange', onChange)
}

export const usePlace = (): Place => parsePlace(useSyncExternalStore(subscribe, () => window.location.hash))
