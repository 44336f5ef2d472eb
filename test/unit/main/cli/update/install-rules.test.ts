import { expect, test } from 'vitest'
import { releaseKeys } from '../../../../../main/agent/update/release-keys.ts'
import { installRules } from '../../../../../main/cli/update/install-rules.ts'
import type { ManagedRead } from '../../../../../main/managed/managed-file.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import { newFeedKey } from '../../../../support/updates/lying-feed.ts'

const own = draftSettingsSchema.parse({ updates: { mode: 'automatic', channel: 'beta', percent: 50 } })
const good = (updates: object): ManagedRead => ({ kind: 'good', managed: { updates }, warnings: [] })

test.each<[string, ManagedRead, string]>([
  ['that another program holds', { kind: 'held' }, 'Another program has the managed settings open'],
  ['with a fault', { kind: 'bad', reason: 'The file is broken', faults: [] }, 'The file is broken'],
])(
  'installs nothing with a managed file %s, because the file may contain another feed key',
  (_, read, words) => {
    expect(() => installRules(read, own)).toThrow(words)
  },
)

test('each managed setting overrides the same setting of the station', () => {
  const { line } = newFeedKey()
  expect(installRules({ kind: 'missing' }, own)).toMatchObject({
    keys: releaseKeys,
    rules: { channel: 'beta', percent: 50 },
  })
  expect(installRules(good({ feed_key: line, channel: 'stable', version: '1.5.0' }), own)).toMatchObject({
    keys: [line],
    rules: { channel: 'stable', version: '1.5.0', percent: 50 },
  })
})

test.each(['off', 'notify'])('installs nothing if the mode is %s', (mode) => {
  expect(() => installRules(good({ mode }), own)).toThrow(`updates.mode is ${mode}`)
})
