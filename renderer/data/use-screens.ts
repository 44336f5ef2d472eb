import { useEffect, useState } from 'react'

export type Screens = typeof import('../screens.ts')
type FirstRun = typeof import('../first-run.ts')

/** The longest that a busy page may put it off: a click on the side bar should find them there. */
const LATEST_MS = 500

/**
 * The screens besides the overview: most of the page's code, and not needed for the first paint. Read once that is
 * done and the page has nothing better to do, or at once where one of them is asked for.
 */
export const useScreens = (now: boolean, isDrawn: boolean): Screens | null => {
  const [screens, setScreens] = useState<Screens | null>(null)
  useEffect(() => {
    const load = () => void import('../screens.ts').then(setScreens)
    if (now) return load()
    if (!isDrawn) return
    const idle = requestIdleCallback(load, { timeout: LATEST_MS })
    return () => cancelIdleCallback(idle)
  }, [now, isDrawn])
  return screens
}

/** Read only where it is shown. */
export const useFirstRun = (isShown: boolean): FirstRun | null => {
  const [firstRun, setFirstRun] = useState<FirstRun | null>(null)
  useEffect(() => {
    if (isShown) void import('../first-run.ts').then(setFirstRun)
  }, [isShown])
  return firstRun
}
