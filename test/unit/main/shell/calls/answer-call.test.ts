import { describe, expect, it, vi } from 'vitest'
import { answerCall, isOwnFrame, type ShellCalls } from '../../../../../main/shell/calls/answer-call.ts'
import { refusalOf } from '../../../../../main/station-store/fallback-electron.ts'
import { Refused } from '../../../../../main/station-store/refused.ts'

const PAGE = 'sluice://app/'
const ownFrame = { url: 'sluice://app/index.html', parent: null }

const createParts = (calls: Partial<ShellCalls> = {}) => {
  const callAgent = vi.fn(async () => ({ ok: true, value: 'from the agent' }) as const)
  const ask = vi.fn(async () => false)
  const log = vi.fn()
  return { pageUrl: PAGE, calls: calls as ShellCalls, refusal: refusalOf('1'), ask, callAgent, log }
}

describe('the app, when a page calls it', () => {
  it.each([
    ['without a frame', null],
    ['from a page of a different site', { url: 'https://example.com/', parent: null }],
    ['from a different host of the same scheme', { url: 'sluice://other/', parent: null }],
    ['from a frame inside our page', { url: PAGE, parent: {} }],
    ['from a blank page', { url: 'about:blank', parent: null }],
    ['from a page without an address', { url: '', parent: null }],
  ])('refuses a call %s with a typed error before any handler runs', async (_, frame) => {
    const parts = createParts({ getSettings: vi.fn() as never })
    const answer = await answerCall(parts, frame, 'getSettings', undefined)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'foreign-sender' } })
    expect(parts.calls.getSettings).not.toHaveBeenCalled()
    expect(parts.callAgent).not.toHaveBeenCalled()
  })

  it('lets the panel at the tray icon read the status, resume uploads and open the window, and refuses its other calls', async () => {
    const parts = createParts({ getSettings: vi.fn() as never, openWindow: vi.fn(() => null) })
    for (const name of ['getSettings', 'saveSettings', 'saveKey', 'deleteSession', 'listRecordings'] as const)
      expect(await answerCall(parts, ownFrame, name, undefined, true)).toMatchObject({
        ok: false,
        error: { kind: 'foreign-sender' },
      })
    expect(parts.calls.getSettings).not.toHaveBeenCalled()
    expect(parts.callAgent).not.toHaveBeenCalled()
    for (const name of ['getStatus', 'resume', 'openWindow'] as const)
      expect(await answerCall(parts, ownFrame, name, undefined, true)).toMatchObject({ ok: true })
  })

  it('deletes a session only after the user agreed in a native dialog', async () => {
    const parts = createParts()
    const args = { id: 'ses_1', typed: 'delete' }
    expect(await answerCall(parts, ownFrame, 'deleteSession', args)).toMatchObject({
      ok: false,
      error: { kind: 'refused', message: 'Nothing was deleted.' },
    })
    expect(parts.callAgent).not.toHaveBeenCalled()
    parts.ask.mockResolvedValueOnce(true)
    expect(await answerCall(parts, ownFrame, 'deleteSession', args)).toMatchObject({ ok: true })
    expect(parts.ask).toHaveBeenLastCalledWith(
      expect.objectContaining({ detail: expect.stringContaining('ses_1') }),
    )
  })

  it('recognises its own page', () => {
    expect(isOwnFrame(ownFrame, PAGE)).toBe(true)
  })

  it.each([
    ['getRecording', { id: -1 }],
    ['getRecording', { id: 1, extra: true }],
    ['deleteSession', { id: 'ses_1', typed: 'Delete' }],
    ['retryRecordings', { ids: [] }],
    ['pause', { until: 'tomorrow' }],
    ['resume', { force: true }],
  ] as const)('refuses wrong arguments of %s before any handler runs', async (name, args) => {
    const parts = createParts()
    const answer = await answerCall(parts, ownFrame, name, args)
    expect(answer).toMatchObject({ ok: false, error: { kind: 'bad-arguments' } })
    expect(parts.callAgent).not.toHaveBeenCalled()
  })

  it('passes valid arguments to the handler, and removes white space from a pasted key', async () => {
    const saveKey = vi.fn(async () => null)
    const answer = await answerCall(createParts({ saveKey }), ownFrame, 'saveKey', {
      baseUrl: 'https://api.example.com/',
      apiKey: ' svc_live_\nabc def ',
      acceptUnprotected: false,
    })
    expect(answer).toEqual({ ok: true, value: null })
    expect(saveKey).toHaveBeenCalledWith({
      baseUrl: 'https://api.example.com',
      apiKey: 'svc_live_abcdef',
      acceptUnprotected: false,
    })
  })

  it('forwards the calls that the agent answers', async () => {
    const parts = createParts()
    await answerCall(parts, ownFrame, 'getRecording', { id: 7 })
    expect(parts.callAgent).toHaveBeenCalledWith('getRecording', { id: 7 })
  })

  it('does not let a fallback Electron send a key to a service outside this PC, unless the user allowed this', async () => {
    const parts = createParts()
    const testKeyAt = (baseUrl: string) =>
      answerCall(parts, ownFrame, 'testKey', { baseUrl, apiKey: 'svc_live_abc' })
    expect(await testKeyAt('https://api.example.com')).toMatchObject({
      ok: false,
      error: { kind: 'refused' },
    })
    expect(parts.callAgent).not.toHaveBeenCalled()
    expect(await testKeyAt('http://localhost:9')).toMatchObject({ ok: true })
    expect(await testKeyAt('no address')).toMatchObject({ ok: true })
    const allowed = { ...parts, refusal: refusalOf('allowed') }
    const answer = await answerCall(allowed, ownFrame, 'testKey', { baseUrl: 'https://api.example.com' })
    expect(answer).toMatchObject({ ok: true })
  })

  it('returns a refusal unchanged, and hides internal errors', async () => {
    const refusingParts = createParts({
      openFolder: () => {
        throw new Refused('The folder cannot be found.')
      },
    })
    expect(await answerCall(refusingParts, ownFrame, 'openFolder', { which: 'logs' })).toEqual({
      ok: false,
      error: { kind: 'refused', message: 'The folder cannot be found.' },
    })
    const failingParts = createParts({
      openFolder: () => {
        throw new Error('svc_live_secret at line 3')
      },
    })
    const answer = await answerCall(failingParts, ownFrame, 'openFolder', { which: 'logs' })
    expect(answer).toMatchObject({ ok: false, error: { kind: 'failed' } })
    expect(JSON.stringify(answer)).not.toContain('svc_live_secret')
    expect(failingParts.log).toHaveBeenCalled()
  })
})
