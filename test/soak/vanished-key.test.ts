import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeRandomFile } from '../support/kill-repeatedly.ts'
import { needs, posix } from '../support/needs.ts'
import { seeded } from '../support/seeded.ts'
import { Station } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const random = seeded(8)

test(
  'uses the last key for a while after the key file vanishes, then reports the missing file and waits until it is back',
  needs(posix),
  async () => {
    station = await Station.open()
    const keyFile = path.join(station.root, 'key')
    const writeKey = () => writeFileSync(keyFile, station.sandbox.keys.write, { mode: 0o600 })
    const record = async (name: string): Promise<string> => {
      const file = path.join(station.recordings, name)
      await writeRandomFile(file, 900 + name.length, random)
      return file
    }
    writeKey()
    station.configure({ service: { api_key: undefined, api_key_file: keyFile } })
    const agent = station.agent()
    const waitUntilProcessed = (file: string) =>
      agent.waitForChange('processed', (line) => line.path === file && line.state === 'processed')
    await waitUntilProcessed(await record('first.bin'))
    rmSync(keyFile)
    // For a minute, the agent continues with the last key.
    await waitUntilProcessed(await record('second.bin'))
    await expect
      .poll(async () => JSON.stringify(await station.status()), { timeout: 240_000, interval: 500 })
      .toContain(`The key file ${keyFile} is missing.`)
    const third = await record('third.bin')
    await agent.waitForChange(
      'the third recording is ready',
      (line) => line.path === third && line.state === 'ready',
    )
    writeKey()
    await waitUntilProcessed(third)
    expect(agent.stderr).not.toContain(station.sandbox.keys.write)
  },
)
