import { useCallback, useEffect } from 'react'
import { bridge } from '../bridge.ts'
import { KEYBOARD_SHORTCUTS, type Place, parsePlace } from '../navigation.ts'
import { useClearRestoredValues, useSavedState } from './SavedView.tsx'

/** The current screen. Each navigation focuses the title of the screen, so that a screen reader announces it. */
export const usePlace = (): readonly [Place, (place: Place) => void] => {
  const [place, setPlace] = useSavedState<Place>('place', () => ({ screen: 'overview' }))
  const clearRestoredValues = useClearRestoredValues()

  const goTo = useCallback(
    (next: Place) => {
      clearRestoredValues()
      const { screen: _screen, visit: _visit, ...details } = next
      const hasDetails = Object.keys(details).length > 0
      setPlace((before) => (hasDetails ? { ...next, visit: (before.visit ?? 0) + 1 } : next))
      requestAnimationFrame(() => document.getElementById('screen-title')?.focus({ preventScroll: true }))
    },
    [clearRestoredValues, setPlace],
  )

  useEffect(() => bridge.on.navigate(({ to }) => to !== KEYBOARD_SHORTCUTS && goTo(parsePlace(to))), [goTo])
  return [place, goTo]
}
