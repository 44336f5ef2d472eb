import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { onEndingSignal as onAgentSignal } from '../../../../main/cli/ending-signals.ts'
import { onFirstEndingSignal, onEndingSignal as onSandboxSignal } from '../../../../server/ending-signals.ts'

describe.each([
  ['agent', onAgentSignal],
  ['sandbox', onSandboxSignal],
])('the %s', (_, onEndingSignal) => {
  const listHandledSignals = (platform: NodeJS.Platform) =>
    ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP', 'SIGUSR2'].filter((signal) => {
      let calls = 0
      const source = new EventEmitter()
      const stopListening = onEndingSignal(() => (calls += 1), platform, source)
      source.emit(signal)
      stopListening()
      source.emit(signal)
      return calls === 1
    })

  it('stops on Ctrl+Break and on a closed console on Windows', () =>
    expect(listHandledSignals('win32')).toEqual(['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP']))

  it.each(['linux', 'darwin'] as const)('does not handle SIGHUP on %s, so that `nohup` works', (platform) =>
    expect(listHandledSignals(platform)).toEqual(['SIGINT', 'SIGTERM']),
  )
})

describe('the first signal', () => {
  afterEach(() => vi.useRealTimers())

  it('counts once even if systemd sends it twice, and a signal after two seconds ends the process', () => {
    vi.useFakeTimers()
    const source = new EventEmitter()
    let calls = 0
    onFirstEndingSignal(() => (calls += 1), 'linux', source)
    source.emit('SIGTERM')
    vi.advanceTimersByTime(1_900)
    source.emit('SIGTERM')
    expect({ calls, isHandled: source.listenerCount('SIGTERM') > 0 }).toEqual({ calls: 1, isHandled: true })
    vi.advanceTimersByTime(100)
    // Without a listener, the signal ends the process.
    expect(source.listenerCount('SIGTERM') + source.listenerCount('SIGINT')).toBe(0)
  })
})
