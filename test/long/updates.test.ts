import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Station, until } from '../support/station.ts'
import { LyingFeed, newFeedKey } from '../support/updates/lying-feed.ts'

let station: Station
let feed: LyingFeed
beforeEach(async () => {
  station = await Station.open()
  feed = await LyingFeed.open()
})
afterEach(async () => {
  await feed.close()
  await station.close()
})

const managedFile = () => path.join(station.root, 'managed.json')
const manage = (updates: object) =>
  writeFileSync(managedFile(), JSON.stringify({ updates: { feed: feed.url, ...updates } }), { mode: 0o600 })

const readUpdate = async () => {
  const { code, out } = await station.sluice('status', '--json')
  // `status` fails until the agent has created its journal.
  if (code !== 0) return null
  return JSON.parse(out).station as {
    readonly update: { readonly offered: { readonly version: string } | null; readonly channel: string }
    readonly conditions: readonly { readonly code: string; readonly sentence: string }[]
  }
}

test('an agent reports a newer version only from a feed that was signed with the managed key', async () => {
  await feed.publish(`sluice-agent-99.0.0-${process.arch}.${process.platform === 'win32' ? 'exe' : 'deb'}`)
  manage({ feed_key: newFeedKey().line })
  const agent = station.agent('--managed', managedFile())
  const refused = await until('the agent refuses the feed', async () => {
    const read = await readUpdate()
    return read?.conditions.find(({ code }) => code === 'feed-refused')
  })
  expect(refused.sentence).toContain('wrong signature')

  manage({ feed_key: feed.key.line, channel: 'stable' })
  // Wait for the condition, because the agent stores it after the offer.
  const { update, conditions } = await until('the agent reports the newer version', async () => {
    const read = await readUpdate()
    return read?.conditions.some(({ code }) => code === 'update-available') && read
  })
  expect(update).toMatchObject({ channel: 'stable', offered: { version: '99.0.0', phase: 'available' } })
  expect(conditions.map(({ code }) => code)).toEqual(['update-available'])
  expect((await station.command('update', 'healthy', '--within', '60')).code).toBe(0)
  const proof = await station.command('update', 'prove')
  expect(proof).toMatchObject({ code: 0, out: expect.stringContaining('can use the journal') })
  await agent.kill('SIGTERM')
  const dead = await station.command('update', 'healthy', '--within', '0')
  expect(dead).toMatchObject({ code: 1, err: expect.stringContaining('No agent answered') })
})

test('the settings of a station cannot replace the key of the feed', async () => {
  const settings = JSON.parse(readFileSync(station.settingsFile, 'utf8'))
  writeFileSync(
    station.settingsFile,
    JSON.stringify({ ...settings, updates: { feed: feed.url, feed_key: feed.key.line } }),
  )
  const agent = station.agent('--until-idle')
  expect(await agent.ended).toBe(1)
  expect(agent.stderr).toContain('feed_key')
})
