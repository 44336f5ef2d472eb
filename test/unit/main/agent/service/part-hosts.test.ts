import { afterEach, describe, expect, test } from 'vitest'
import { judgeUploadHosts } from '../../../../../main/agent/domain/upload-hosts-check.ts'
import { createPartRefusal } from '../../../../../main/agent/service/part-hosts.ts'
import { describeIssues, settingsSchema } from '../../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'

const INTERNET_SERVICE = 'https://api.example.com'
const SIGNED_PATH = '/bucket/part?X-Amz-Signature=deadbeef'

describe('the rule for part hosts', () => {
  test.each([
    ['https://storage.example.com', INTERNET_SERVICE, true],
    ['https://storage.example.com:8443', INTERNET_SERVICE, true],
    ['https://203.0.113.7', INTERNET_SERVICE, true],
    ['https://[2001:db8::1]', INTERNET_SERVICE, true],
    ['http://storage.example.com', INTERNET_SERVICE, false],
    // http is allowed only if both the storage and the service are on this PC.
    ['http://127.0.0.1:9000', INTERNET_SERVICE, false],
    ['http://localhost:9000', INTERNET_SERVICE, false],
    ['http://127.0.0.1:9000', 'https://10.0.0.5', false],
    ['http://127.0.0.1:9000', 'http://127.0.0.1:8000', true],
    ['http://127.0.0.1:9000', 'http://localhost:8000', true],
    ['http://10.0.0.5', 'http://127.0.0.1:8000', false],
    ['https://user:word@storage.example.com', INTERNET_SERVICE, false],
    // A service on the internet has no storage on this PC or in its network.
    ['https://localhost', INTERNET_SERVICE, false],
    ['https://recorder.localhost.', INTERNET_SERVICE, false],
    ['https://127.0.0.1', INTERNET_SERVICE, false],
    ['https://2130706433', INTERNET_SERVICE, false],
    ['https://0.0.0.0', INTERNET_SERVICE, false],
    ['https://10.1.2.3', INTERNET_SERVICE, false],
    ['https://0xa.1.2.3', INTERNET_SERVICE, false],
    ['https://172.31.255.1', INTERNET_SERVICE, false],
    ['https://172.32.0.1', INTERNET_SERVICE, true],
    ['https://192.168.1.1', INTERNET_SERVICE, false],
    ['https://169.254.169.254', INTERNET_SERVICE, false],
    ['https://100.64.0.1', INTERNET_SERVICE, false],
    ['https://[::1]', INTERNET_SERVICE, false],
    ['https://[::]', INTERNET_SERVICE, false],
    ['https://[::ffff:10.0.0.1]', INTERNET_SERVICE, false],
    ['https://[::ffff:203.0.113.7]', INTERNET_SERVICE, true],
    ['https://[64:ff9b::a00:1]', INTERNET_SERVICE, false],
    ['https://[64:ff9b:1::a00:1]', INTERNET_SERVICE, false],
    ['https://[::ffff:0:10.0.0.1]', INTERNET_SERVICE, false],
    ['https://[::ffff:0:a9fe:a9fe]', INTERNET_SERVICE, false],
    ['https://[2001:0:a00:1::1]', INTERNET_SERVICE, false],
    ['https://[2001:200::1]', INTERNET_SERVICE, true],
    ['https://[2002:a00:1::1]', INTERNET_SERVICE, false],
    ['https://192.88.99.1', INTERNET_SERVICE, false],
    ['https://192.0.0.8', INTERNET_SERVICE, false],
    ['https://198.19.0.1', INTERNET_SERVICE, false],
    ['https://224.0.0.1', INTERNET_SERVICE, false],
    ['https://[ff02::1]', INTERNET_SERVICE, false],
    ['https://[fd12::1]', INTERNET_SERVICE, false],
    ['https://[fe80::1]', INTERNET_SERVICE, false],
    // A service in a private network or on this PC may have storage in a private network.
    ['https://10.1.2.3', 'https://192.168.1.1', true],
    ['https://10.1.2.3', 'http://127.0.0.1:8000', true],
  ])('a part to %s is allowed if the service is at %s: %s', (address, service, allowed) => {
    const refusal = createPartRefusal(service, undefined)(`${address}${SIGNED_PATH}`)
    expect(refusal === null).toBe(allowed)
    expect(refusal ?? '').not.toMatch(/bucket|Signature|word|8443|9000/)
  })

  const { upload_hosts } = settingsSchema.parse({
    service: {
      base_url: INTERNET_SERVICE,
      upload_hosts: [' Storage.Example.com. ', '*.parts.example.org', '10.1.2.3'],
    },
  }).service
  test.each([
    ['https://storage.example.com', true],
    ['https://STORAGE.example.com.:8443', true],
    ['https://a.parts.example.org', true],
    ['https://a.b.parts.example.org', true],
    ['https://10.1.2.3', true],
    ['https://parts.example.org', false],
    ['https://evilparts.example.org', false],
    ['https://a.parts.example.org.evil.example', false],
    ['https://api.example.com', false],
    ['http://10.1.2.3', false],
    ['https://10.1.2.4', false],
  ])('with hosts listed in the settings, a part to %s is allowed: %s', (address, allowed) => {
    expect(createPartRefusal(INTERNET_SERVICE, upload_hosts)(`${address}${SIGNED_PATH}`) === null).toBe(
      allowed,
    )
  })
})

test.each([
  'https://storage.example.com',
  'storage.example.com/bucket',
  'storage.example.com:443',
  'me@storage.example.com',
  '*',
  '*.',
  'a.*.example.com',
  'two names',
  '',
])('refuses the upload host %j and names the field in the settings', (host) => {
  const parsed = settingsSchema.safeParse({ service: { base_url: INTERNET_SERVICE, upload_hosts: [host] } })
  expect(parsed.success ? [] : describeIssues(parsed.error)).toEqual([
    'service.upload_hosts[0]: Give host names only, such as storage.example.com or *.example.com.',
  ])
})

describe('the hosts that received parts', () => {
  let temp: TempJournal
  afterEach(() => temp?.close())

  test('are remembered, and a new host is reported once', () => {
    let nowMs = Date.UTC(2026, 9, 1)
    temp = openTempJournal(() => nowMs)
    const { station } = temp.journal
    expect([station.noteUploadHost('a.example'), station.noteUploadHost('a.example')]).toEqual([true, false])
    nowMs = Date.UTC(2026, 10, 14)
    expect([station.noteUploadHost('b.example'), station.noteUploadHost('b.example')]).toEqual([true, false])
    expect(station.uploadHosts()).toEqual([
      { host: 'a.example', firstSeenAt: '2026-10-01T00:00:00.000Z' },
      { host: 'b.example', firstSeenAt: '2026-11-14T00:00:00.000Z' },
    ])
  })

  test('are limited in number, and the first host stays', () => {
    temp = openTempJournal(() => 0)
    const { station } = temp.journal
    for (let n = 0; n < 200; n += 1) station.noteUploadHost(`h${n}.example`)
    const hosts = station.uploadHosts().map(({ host }) => host)
    expect([hosts.length, hosts[0], hosts.at(-1)]).toEqual([50, 'h0.example', 'h199.example'])
  })

  const hostsFirstSeenOn = (...days: readonly number[]) =>
    days.map((day, at) => ({
      host: `${'abcdefghij'[at]}.example`,
      firstSeenAt: new Date(2026, 10, day, 9).toISOString(),
    }))
  test.each([
    [[], 'skip', 'Nothing has been uploaded yet.'],
    [[15], 'pass', 'Uploads go to a.example.'],
    [[14, 14], 'pass', 'Uploads go to b.example and a.example.'],
    [[-100, 14], 'warn', 'Uploads go to b.example (new since 14 Nov 09:00) and a.example.'],
    [[-200, -50], 'pass', 'Uploads go to b.example and a.example.'],
    [
      [-200, -90, -90, -90, -90, -90, -90, -90],
      'pass',
      'Uploads go to h.example, g.example, f.example, e.example, d.example, c.example and 2 earlier hosts.',
    ],
  ])(
    'and were first seen on the days %j (counted from 31 October) get the verdict %s',
    (days, verdict, words) => {
      expect(judgeUploadHosts(hostsFirstSeenOn(...days), new Date(2026, 10, 20).getTime())).toMatchObject({
        verdict,
        sentence: expect.stringMatching(new RegExp(`^${words.replace(/[.()]/g, '\\$&')}`)),
      })
    },
  )
})
