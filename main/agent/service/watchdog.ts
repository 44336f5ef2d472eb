/**
 * Calls `onIdle` if no call follows an `arm` within the limit. Call `disarm` when the wait is over, and while Sluice
 * itself delays the transfer.
 */
export type Watchdog = { readonly arm: () => void; readonly disarm: () => void }

export const createWatchdog = (limitMs: number, onIdle: () => void): Watchdog => {
  let timer: NodeJS.Timeout | null = null
  let activity = 0
  // After the PC slept, Node runs timers before it reads sockets. So wait for one turn of the event loop: if bytes have
  // arrived, the caller then calls `arm`.
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
