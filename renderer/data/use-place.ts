import { useCallback, useEffect, useState } from 'react'
import { bridge } from '../bridge.ts'
import { KEYS, type Place, parsePlace } from '../navigation.ts'

/** Where the window is. The title takes the focus on each change, so that a screen reader says where one is. */
export const usePlace = (): readonly [Place, (place: Place) => void] => {
  const [place, setPlace] = useState<Place>({ screen: 'overview' })

  const goTo = useCallback((next: Place) => {
    const { screen: _screen, visit: _visit, ...asked } = next
    const isPlain = Object.keys(asked).length === 0
    setPlace((before) => (isPlain ? next : { ...next, visit: (before.visit ?? 0) + 1 }))
    requestAnimationFrame(() => document.getElementById('screen-title')?.focus({ preventScroll: true }))
  }, [])

  useEffect(() => bridge.on.navigate(({ to }) => to !== KEYS && goTo(parsePlace(to))), [goTo])
  return [place, goTo]
}
