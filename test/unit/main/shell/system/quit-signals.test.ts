import { describe, expect, it } from 'vitest'
import { quitSignals } from '../../../../../main/shell/system/quit-signals.ts'
import { shouldForward } from '../../../../../scripts/launcher/child.mjs'

describe('a signal to quit, from the terminal', () => {
  it('is handled on Windows, where Electron ignores it', () => {
    expect(quitSignals('win32')).toEqual(['SIGINT', 'SIGBREAK', 'SIGHUP'])
    expect(quitSignals('linux')).toEqual([])
    expect(quitSignals('darwin')).toEqual([])
  })
  it.each([
    ['SIGINT', true, false, false],
    ['SIGTERM', true, false, true],
    ['SIGHUP', true, false, true],
    ['SIGINT', false, false, true],
    // In a terminal, Windows itself sends these signals to the child. A second signal would kill the child.
    ['SIGINT', true, true, false],
    ['SIGBREAK', true, true, false],
    ['SIGHUP', true, true, false],
    ['SIGBREAK', false, true, true],
  ] as const)(
    '%s, in a terminal: %s, on Windows: %s, is forwarded to the child: %s',
    (signal, isInTerminal, isWindows, expected) => {
      expect(shouldForward(signal, { isInTerminal, isWindows })).toBe(expected)
    },
  )
})
