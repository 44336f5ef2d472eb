import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onEndingSignal as ofAgent } from '../../../../main/cli/ending-signals.ts'
import { onEndingSignal as ofSandbox } from '../../../../sandbox/ending-signals.ts'

describe.each([
  ['agent', ofAgent],
  ['sandbox', ofSandbox],
])('the %s', (_name, onEndingSignal) => {
  const heard = (platform: NodeJS.Platform) =>
    ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP', 'SIGUSR2'].filter((signal) => {
      let ended = 0
      const source = new EventEmitter()
      const stopListening = onEndingSignal(() => (ended += 1), platform, source)
      source.emit(signal)
      stopListening()
      source.emit(signal)
      return ended === 1
    })

  it('ends by Ctrl+Break and by a closed console on Windows', () =>
    expect(heard('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']))

  it.each(['linux', 'darwin'] as const)('leaves a hang-up alone on %s, where nohup ignores it', (platform) =>
    expect(heard(platform)).toEqual(['SIGINT', 'SIGTERM']),
  )
})
