import type { EventEmitter } from 'node:events'

/**
 * Windows asks with Ctrl+Break, which is also what another program can send, and with a hang-up when the console's
 * window is closed; it ends the process ten seconds after that. Elsewhere a hang-up is left alone: `nohup` ignores it.
 */
const signalsOf = (platform: NodeJS.Platform): readonly string[] =>
  platform === 'win32' ? ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM']

/** Gives how to stop listening. */
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
