import { useEffect, useEffectEvent } from 'react'

/** Reloads at intervals while the tab is visible, and whenever it becomes visible again. */
export const useReloadEvery = (everyMs: number, reload: () => void): void => {
  const run = useEffectEvent(() => {
    if (document.visibilityState === 'visible') reload()
  })
  useEffect(() => {
    const timer = setInterval(() => run(), everyMs)
    const onVisible = () => run()
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [everyMs])
}
