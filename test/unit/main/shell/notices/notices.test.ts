import { describe, expect, it } from 'vitest'
import { hiddenWindowNotice } from '../../../../../main/shell/notices/hidden-window-notice.ts'
import { canStillBeClicked, noticeOptions } from '../../../../../main/shell/notices/notice-options.ts'

describe('a notification', () => {
  const notice = (to: string) => ({ title: 'a & b.mcap', body: 'It <b>waits</b>.', to })
  it.each([
    ['recordings/12', 'Show recording'],
    ['recordings?problem=file-busy', 'Show recordings'],
    ['folders', 'Show folders'],
    ['overview', 'Open Sluice'],
  ])('that leads to %s has the button "%s" on Windows and macOS', (to, text) => {
    for (const system of ['windows', 'macos'] as const)
      expect(noticeOptions(system, notice(to))).toEqual({
        title: 'a & b.mcap',
        body: 'It <b>waits</b>.',
        actions: [{ type: 'button', text }],
      })
  })
  it('has no button on Linux, where Electron supports none', () => {
    expect(noticeOptions('linux', notice('overview'))).not.toHaveProperty('actions')
  })
  it('contains no markup on Linux, where a file name could inject a link', () => {
    expect(noticeOptions('linux', notice('overview')).body).not.toMatch(/[<>]/)
  })
  it('contains no invalid XML characters, because Windows drops a notification with them', () => {
    const { title, body } = noticeOptions('windows', { title: 'a\u0001b', body: 'c\ufffed\ud800', to: '' })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters.
    expect(`${title}${body}`).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u)
  })
  it.each([
    ['windows', 'timedOut', true],
    ['windows', 'userCanceled', false],
    ['windows', 'applicationHidden', false],
    ['windows', undefined, false],
    ['macos', undefined, false],
    ['linux', undefined, false],
  ] as const)(
    'on %s, after it closed with the reason %s, can still be clicked: %s',
    (system, reason, expected) => {
      expect(canStillBeClicked(system, reason)).toBe(expected)
    },
  )
})

describe('closing the window', () => {
  it.each([
    ['windows', true, 'notification area'],
    ['linux', true, 'the tray'],
    ['linux', false, 'Start Sluice again'],
  ] as const)('on %s, with a tray icon: %s, shows how to open Sluice again', (system, hasTray, words) => {
    expect(hiddenWindowNotice(system, hasTray)?.body).toContain(words)
  })
  it('shows no notice on macOS if Sluice has an icon in the menu bar', () => {
    expect(hiddenWindowNotice('macos', true)).toBeNull()
  })
})
