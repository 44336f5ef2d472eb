import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SettingsInput } from '../../../shared/settings/settings.ts'
import { AppStation, window } from '../../e2e/app.ts'
import { callFromPage } from '../../e2e/call-from-page.ts'
import { needs } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

const NAMES = ['first.csv', 'second.csv', 'third.csv']

/**
 * The session IDs in the order of the file names. Null until all recordings are processed, and while the agent is
 * being replaced.
 */
const processedSessions = async (page: Page): Promise<readonly string[] | null> => {
  try {
    const { rows } = await callFromPage(page, 'listRecordings', {
      states: ['processed'],
      sort: 'name',
      descending: false,
    })
    if (rows.length < NAMES.length) return null
    const details = await Promise.all(rows.map(({ id }) => callFromPage(page, 'getRecording', { id })))
    return details.map((detail) => detail?.sessionId ?? '')
  } catch {
    return null
  }
}

describe('the try-out', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it('keeps its journal unchanged while the station uploads all recordings to a real service', async () => {
    const real = await station.startSandbox()
    for (const name of NAMES) writeFileSync(path.join(station.recordings, name), `time,value\n0,${name}\n`)
    const { page, pidOf } = await station.startApp()
    const settingsFor = (base_url: string): SettingsInput => ({
      service: { base_url },
      folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
      follow: { poll_seconds: 1 },
    })
    const { baseUrl } = await callFromPage(page, 'startSandbox')
    await callFromPage(page, 'saveSettings', settingsFor(baseUrl))
    const sandboxSessions = await until('the sandbox has processed all recordings', () =>
      processedSessions(page),
    )
    const pid = await pidOf('Sluice agent')

    await callFromPage(page, 'saveKey', {
      baseUrl: real.baseUrl,
      apiKey: real.keys.write,
      acceptUnprotected: true,
    })
    for (const address of [real.baseUrl, baseUrl, real.baseUrl])
      await callFromPage(page, 'saveSettings', settingsFor(address))
    const realSessions = await until('the real service has processed all recordings', async () => {
      const answer = await real.api('/v1/sessions?site=Hall%203&status=processed')
      const { data } = (await answer.json()) as { data: readonly { id: string; filename: string }[] }
      return data.length === NAMES.length ? data : null
    })
    expect(realSessions.map(({ filename }) => filename).sort()).toEqual(NAMES)
    const shownSessions = await until('the window shows the sessions of the real service', () =>
      processedSessions(page),
    )
    expect([...shownSessions].sort()).toEqual(realSessions.map(({ id }) => id).sort())
    expect(await pidOf('Sluice agent')).not.toBe(pid)
    expect(existsSync(path.join(station.data, 'try-out/journal.db'))).toBe(true)
    expect((await callFromPage(page, 'getAgentHealth')).restarts).toBe(0)
    expect((await callFromPage(page, 'getSettings')).settings.folders).toHaveLength(1)

    await callFromPage(page, 'saveSettings', settingsFor(baseUrl))
    await until('the station is in the try-out again', async () => {
      const sessions = await processedSessions(page)
      return sessions !== null && sandboxSessions.every((id, index) => id === sessions[index])
    })
  })
})
