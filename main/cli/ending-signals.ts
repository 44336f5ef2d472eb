import type { EventEmitter } from 'node:events'

/**
 * On Windows, another program can send Ctrl+Break (SIGBREAK) to end Sluice. Closing the console window sends SIGHUP,
 * and Windows ends the process ten seconds later. Elsewhere, Sluice does not handle SIGHUP, so that `nohup` works.
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
