import { useEffect, useState } from 'react'

export type Screens = typeof import('../screens.ts')

/** The longest that a busy page may put it off: a click on the side bar should find them there. */
const LATEST_MS = 500

/**
 * The screens besides the overview, and the first run: three quarters of the page's code, and not needed for the first
 * paint. Read as soon as the page has nothing better to do, or at once where one of them is asked for.
 */
export const useScreens = (now: boolean): Screens | null => {
  const [screens, setScreens] = useState<Screens | null>(null)
  useEffect(() => {
    const load = () => void import('../screens.ts').then(setScreens)
    if (now) return load()
    const idle = requestIdleCallback(load, { timeout: LATEST_MS })
    return () => cancelIdleCallback(idle)
  }, [now])
  return screens
}
