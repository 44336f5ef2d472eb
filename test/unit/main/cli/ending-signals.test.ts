import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onEndingSignal as ofAgent } from '../../../../main/cli/ending-signals.ts'
import { onEndingSignal as ofSandbox } from '../../../../server/ending-signals.ts'

describe.each([
  ['agent', ofAgent],
  ['sandbox', ofSandbox],
])('the %s', (_name, onEndingSignal) => {
  const signalsHandled = (platform: NodeJS.Platform) =>
    ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP', 'SIGUSR2'].filter((signal) => {
      let ended = 0
      const source = new EventEmitter()
      const stopListening = onEndingSignal(() => (ended += 1), platform, source)
      source.emit(signal)
      stopListening()
      source.emit(signal)
      return ended === 1
    })

  it('stops on Ctrl+Break and on a closed console on Windows', () =>
    expect(signalsHandled('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']))

  it.each(['linux', 'darwin'] as const)('does not handle SIGHUP on %s, so that nohup works', (platform) =>
    expect(signalsHandled(platform)).toEqual(['SIGINT', 'SIGTERM']),
  )
})
