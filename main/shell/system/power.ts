import { powerMonitor } from 'electron'
import { type Clocks, gapWatcher } from '../../../shared/status/clock-gap.ts'

const LOOK_EVERY_MS = 5_000
/** A busy PC is late by a second or two; one that slept is late by much more. */
const GAP_MS = 15_000

const systemClocks: Clocks = { wallMs: () => Date.now(), monotonicMs: () => performance.now() }

/** Null on Linux: Electron does not know it there, and the agent reads it itself. */
export const onBattery = (): boolean | null =>
  process.platform === 'linux' ? null : powerMonitor.isOnBatteryPower()

export const watchPower = (wake: (reason: string) => void, powerSourceChanged: () => void): void => {
  powerMonitor.on('resume', () => wake('the PC woke up'))
  powerMonitor.on('on-ac', powerSourceChanged)
  powerMonitor.on('on-battery', powerSourceChanged)
  powerMonitor.on('unlock-screen', () => wake('the screen was unlocked'))
  const look = gapWatcher(systemClocks, LOOK_EVERY_MS)
  setInterval(() => {
    const gapMs = look()
    if (gapMs > GAP_MS) wake(`${Math.round(gapMs / 1000)} s are missing on the clock`)
  }, LOOK_EVERY_MS).unref()
}

/** Linux and macOS wait a few seconds for whoever asks for them, which is what draining takes. */
export const watchShutdown = (quit: () => void): void => {
  const monitor: NodeJS.EventEmitter = powerMonitor
  monitor.on('shutdown', (event: { readonly preventDefault: () => void }) => {
    event.preventDefault()
    quit()
  })
}
