/** Fires when nothing moved for the limit; disarmed while we are the ones who keep the other side waiting. */
export type Watchdog = { readonly arm: () => void; readonly disarm: () => void }

export const createWatchdog = (limitMs: number, onIdle: () => void): Watchdog => {
  let timer: NodeJS.Timeout | null = null
  return {
    arm: () => {
      if (timer === null) timer = setTimeout(onIdle, limitMs)
      else timer.refresh()
    },
    disarm: () => {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
