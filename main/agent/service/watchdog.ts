/**
 * Calls `onIdle` if, after `arm`, the caller calls neither `arm` nor `disarm` within the limit. The caller calls
 * `disarm` when its wait is over, and while Sluice itself delays the transfer.
 */
export type Watchdog = { readonly arm: () => void; readonly disarm: () => void }

export const createWatchdog = (limitMs: number, onIdle: () => void): Watchdog => {
  let timer: NodeJS.Timeout | null = null
  let activity = 0
  // After the event loop was blocked or the PC slept, Node runs timers before it reads sockets. So wait for one turn of
  // the event loop: if bytes have already arrived, the caller calls `arm` in that turn.
  const check = () => {
    const activityBefore = activity
    setImmediate(() => {
      if (activityBefore === activity) onIdle()
    })
  }
  return {
    arm: () => {
      activity += 1
      if (timer === null) timer = setTimeout(check, limitMs)
      else timer.refresh()
    },
    disarm: () => {
      activity += 1
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
