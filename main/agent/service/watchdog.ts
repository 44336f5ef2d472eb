/**
 * Calls `onIdle` if the caller does not call `arm` again within the limit. The caller calls `disarm` while Sluice
 * itself delays the transfer.
 */
export type Watchdog = { readonly arm: () => void; readonly disarm: () => void }

export const createWatchdog = (limitMs: number, onIdle: () => void): Watchdog => {
  let timer: NodeJS.Timeout | null = null
  let activity = 0
  // After a blocked event loop or a sleeping PC, timers run before sockets. So bytes that have already arrived get one
  // turn of the event loop to call `arm`.
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
