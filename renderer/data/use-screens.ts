import { useEffect, useState } from 'react'

export type Screens = typeof import('../screens.ts')
type FirstRun = typeof import('../first-run.ts')

/** On a busy page, the code of the screens loads after this time at the latest. */
const LOAD_TIMEOUT_MS = 500

/**
 * All screens except the overview. Their code is large, and the first paint does not need it. It loads when the page is
 * idle, or at once if the user opens one of these screens.
 */
export const useScreens = (isNeededNow: boolean, isDrawn: boolean): Screens | null => {
  const [screens, setScreens] = useState<Screens | null>(null)
  useEffect(() => {
    const load = () => void import('../screens.ts').then(setScreens)
    if (isNeededNow) return load()
    if (!isDrawn) return
    const idle = requestIdleCallback(load, { timeout: LOAD_TIMEOUT_MS })
    return () => cancelIdleCallback(idle)
  }, [isNeededNow, isDrawn])
  return screens
}

export const useFirstRun = (isShown: boolean): FirstRun | null => {
  const [firstRun, setFirstRun] = useState<FirstRun | null>(null)
  useEffect(() => {
    if (isShown) void import('../first-run.ts').then(setFirstRun)
  }, [isShown])
  return firstRun
}
