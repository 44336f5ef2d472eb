import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AppStation, window } from '../../e2e/app.ts'
import { usesOutsideAgent } from '../../e2e/restarting-agent.ts'
import { needs } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

describe('the end of the user’s session', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  it.each(['session-end', 'shutdown'] as const)(
    'on %s, the app exits by itself and its agent closes the journal; an agent outside the app continues',
    async (event) => {
      const sandbox = await station.startSandbox()
      station.writeSettings({
        service: { base_url: sandbox.baseUrl, api_key: sandbox.keys.write },
        folders: [{ path: station.recordings, site: 'Hall 3' }],
      })
      const { child, endSession } = await station.startApp()
      // SQLite removes this file only if the journal is closed cleanly.
      const walFile = path.join(station.data, 'journal.db-wal')
      await until('the agent has its journal open', () => existsSync(walFile))
      const ended = once(child, 'exit')
      // The connection of this call may close before the answer arrives.
      await endSession(event).catch(() => undefined)
      expect(await ended).toEqual([0, null])
      expect(existsSync(walFile)).toBe(usesOutsideAgent())
    },
  )
})
