import type { EventEmitter } from 'node:events'

/**
 * Windows sends Ctrl+Break, which other programs can send too, and SIGHUP when the console window closes; ten seconds later it
 * kills the process. On other systems SIGHUP is not handled, because `nohup` sets it to be ignored.
 */
const signalsOf = (platform: NodeJS.Platform): readonly string[] =>
  platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/** Returns a function that removes the listeners. */
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
