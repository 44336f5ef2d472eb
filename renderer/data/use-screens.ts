import { useEffect, useState } from 'react'

export type Screens = typeof import('../screens.ts')
type FirstRun = typeof import('../first-run.ts')

/**
 * On a busy page, the code of the screens loads after this time at the latest, so that a click does not wait for it.
 */
const LOAD_TIMEOUT_MS = 500

/**
 * All screens except the overview. They are most of the page's code, and the first paint does not need them. So they
 * load when the page is idle, or at once if the user opens one of them.
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

/** Loads the code of the first-run screens only when they are shown. */
export const useFirstRun = (isShown: boolean): FirstRun | null => {
  const [firstRun, setFirstRun] = useState<FirstRun | null>(null)
  useEffect(() => {
    if (isShown) void import('../first-run.ts').then(setFirstRun)
  }, [isShown])
  return firstRun
}
