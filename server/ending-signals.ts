import type { EventEmitter } from 'node:events'

/**
 * On Windows, another program can send Ctrl+Break (SIGBREAK). A closed console window sends SIGHUP: ten seconds later,
 * Windows ends the process. On other systems, nobody listens to SIGHUP, so that `nohup` works.
 */
const signalsOf = (platform: NodeJS.Platform): readonly string[] =>
  platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/** Calls `end` on each signal that asks the program to end. Returns a function that removes the listeners. */
export const onEndingSignal = (
  end: () => void,
  platform: NodeJS.Platform = process.platform,
  source: Pick<EventEmitter, 'on' | 'off'> = process,
): (() => void) => {
  const signals = signalsOf(platform)
  for (const signal of signals) source.on(signal, end)
  return () => {
    for (const signal of signals) source.off(signal, end)
  }
}

const repeatMs = 2_000

/**
 * Calls `end` at the first signal, then ignores signals for `repeatMs`. A later signal ends the process at once. One
 * request to end may arrive twice: systemd signals all processes of a service, and the launcher (`run-node.mjs`)
 * forwards its signal.
 */
export const onFirstEndingSignal = (
  end: () => void,
  platform?: NodeJS.Platform,
  source?: Pick<EventEmitter, 'on' | 'off'>,
): void => {
  let isEnding = false
  const removeListeners = onEndingSignal(
    () => {
      if (isEnding) return
      isEnding = true
      setTimeout(removeListeners, repeatMs).unref()
      end()
    },
    platform,
    source,
  )
}
