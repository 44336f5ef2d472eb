import { powerMonitor } from 'electron'
import { systemClock } from '../../../shared/clock/clock.ts'
import { sleepDetector } from '../../../shared/clock/sleep-detector.ts'

const CHECK_INTERVAL_MS = 5_000
/** On a busy PC, a timer is late by a second or two. After sleep, it is late by much more. */
const SLEEP_THRESHOLD_MS = 15_000

/** Null on Linux: Electron does not report the power source there, so the agent reads it from the system. */
export const onBattery = (): boolean | null =>
  process.platform === 'linux' ? null : powerMonitor.isOnBatteryPower()

export const watchPower = (wake: (reason: string) => void, powerSourceChanged: () => void): void => {
  powerMonitor.on('resume', () => wake('the PC woke up'))
  powerMonitor.on('on-ac', powerSourceChanged)
  powerMonitor.on('on-battery', powerSourceChanged)
  powerMonitor.on('unlock-screen', () => wake('the screen was unlocked'))
  const measureLateMs = sleepDetector(systemClock, CHECK_INTERVAL_MS)
  setInterval(() => {
    const lateMs = measureLateMs()
    if (lateMs > SLEEP_THRESHOLD_MS) wake(`no timer ran for ${Math.round(lateMs / 1000)} s`)
  }, CHECK_INTERVAL_MS).unref()
}

/**
 * `preventDefault` makes Linux and macOS delay the shutdown for a few seconds, which is enough for the agent to stop
 * cleanly.
 */
export const watchShutdown = (quit: () => void): void => {
  const monitor: NodeJS.EventEmitter = powerMonitor
  monitor.on('shutdown', (event: { readonly preventDefault: () => void }) => {
    event.preventDefault()
    quit()
  })
}
