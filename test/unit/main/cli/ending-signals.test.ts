import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { onEndingSignal as onAgentSignal } from '../../../../main/cli/ending-signals.ts'
import { onEndingSignal as onSandboxSignal } from '../../../../server/ending-signals.ts'

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

  it.each(['linux', 'darwin'] as const)('does not handle SIGHUP on %s, so that nohup works', (platform) =>
    expect(listHandledSignals(platform)).toEqual(['SIGINT', 'SIGTERM']),
  )
})
