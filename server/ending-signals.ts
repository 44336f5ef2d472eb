import type { EventEmitter } from 'node:events'

/**
 * On Windows, a program can end this program with Ctrl+Break (SIGBREAK). Closing the console window sends SIGHUP, and
 * Windows ends the process ten seconds later. On other systems, SIGHUP keeps its default, so that `nohup` works.
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

/** Signals within this time of the first one count as one request to end. */
const repeatMs = 2_000

/**
 * Calls `end` at the first signal that asks the program to end, and ignores repeats for `repeatMs`. After that time, a
 * signal ends the process at once. Repeats are ignored because one request to end may arrive twice: systemd signals all
 * processes of a service, and the launcher (`run-node.mjs`) also forwards the signal that it gets.
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
