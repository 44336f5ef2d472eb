import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { DamagingProxy } from '../support/damaging-proxy.ts'
import { type RecordingReport, Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const fileOf = (name: string) => path.join(station.recordings, name)
const put = (name: string): string => {
  writeFileSync(fileOf(name), `the content of ${name}`)
  return fileOf(name)
}

const findRecording = (recordings: readonly RecordingReport[], file: string) =>
  recordings.find((recording) => recording.path === file)

test('finds sessions whose creation was answered with HTML, truncated JSON or wrong IDs, and reports impossible parts', async () => {
  station = await Station.open()
  const replaceIn = (from: RegExp, to: string) => (body: string) => ({
    type: 'application/json',
    body: body.replace(from, to),
  })
  const damageByFile = {
    'html.bin': () => ({ type: 'text/html', body: '<!doctype html><h1>Welcome to the guest network</h1>' }),
    'half.bin': (body: string) => ({ type: 'application/json', body: body.slice(0, body.length / 2) }),
    'ids.bin': replaceIn(/"id":"[^"]*"/, '"id":"../../ses_x"'),
    'negative.bin': replaceIn(/"part_size":\d+/, '"part_size":-1'),
  }
  const proxy = await DamagingProxy.startFor(station.sandbox.baseUrl, damageByFile)
  try {
    station.configure({ service: { base_url: proxy.baseUrl } })
    const bad = Object.keys(damageByFile).map((name) => put(name))
    const good = [put('good-1.bin'), put('good-2.bin')]

    expect(await station.runToIdle()).toBe(2)

    const { station: reported, recordings } = await station.status()
    expect(reported.problem).toBeNull()
    // A retry with the same key (§8) gets the same unreadable answer, so Sluice searches the session list instead. An
    // impossible part size is readable, so Sluice reports it.
    const [impossible = '', ...unreadable] = bad.toReversed()
    for (const file of [...good, ...unreadable])
      expect(findRecording(recordings, file), file).toMatchObject({ state: 'processed', problem: null })
    expect(findRecording(recordings, impossible)).toMatchObject({
      state: 'ready',
      problem: {
        code: 'parts-impossible',
        endsBy: 'answer',
        requestId: expect.stringMatching(/^req_/),
        sentence: expect.stringContaining('parts of -1 bytes'),
      },
    })
  } finally {
    await proxy.close()
  }

  // Once the proxy is gone and the user retries, everything is uploaded once.
  station.configure()
  expect((await station.command('retry', fileOf('negative.bin'))).code).toBe(0)
  expect(await station.runToIdle()).toBe(0)
  await station.expectAllSafe()
})
