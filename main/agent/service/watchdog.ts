/** Fires when nothing moved for the limit; disarmed while we are the ones who keep the other side waiting. */
export type Watchdog = { readonly arm: () => void; readonly disarm: () => void }

export const createWatchdog = (limitMs: number, onIdle: () => void): Watchdog => {
  let timer: NodeJS.Timeout | null = null
  let movements = 0
  // After a loop that stood still (a stall, a sleeping PC) timers come before sockets: what has long arrived gets
  // its turn first.
  const look = () => {
    const before = movements
    setImmediate(() => {
      if (before === movements) onIdle()
    })
  }
  return {
    arm: () => {
      movements += 1
      if (timer === null) timer = setTimeout(look, limitMs)
      else timer.refresh()
    },
    disarm: () => {
      movements += 1
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
