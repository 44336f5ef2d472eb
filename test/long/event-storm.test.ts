import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { startEventStorm } from '../support/event-storm.ts'
import { linux, needs, program } from '../support/needs.ts'
import { Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

/** Far longer than an upload takes. Without the limit on events, the agent would hang for this time. */
const STORM_SECONDS = 120

test(
  'a program that renames folders without pause stops neither the agent nor the watches of other folders',
  needs(linux, program('python3')),
  async () => {
    station = await Station.open()
    const [loud, quiet] = ['loud', 'quiet'].map((name) => path.join(station.recordings, name)) as [
      string,
      string,
    ]
    for (const folder of [loud, quiet]) mkdirSync(folder)
    station.configure({
      rest: { folders: [loud, quiet].map((folder) => ({ path: folder, site: 'lab', settle_seconds: 0.3 })) },
    })
    const agent = station.agent()
    const record = async (name: string) => {
      writeFileSync(path.join(quiet, name), name)
      await agent.waitForChange(
        `${name} is safe`,
        (line) => line.path.endsWith(name) && line.state === 'processed',
      )
    }
    writeFileSync(path.join(loud, 'first.bin'), 'first')
    await agent.waitForChange('the loud folder is watched', ({ state }) => state === 'processed')
    await record('before.bin')
    const storm = await startEventStorm(loud, STORM_SECONDS)
    onTestFinished(() => void storm.kill('SIGKILL'))
    await record('during.bin')
    const log = path.join(station.data, 'logs', 'sluice.log')
    const warnings = () => readFileSync(log, 'utf8').split('many thousands of times per second').length - 1
    await until('the storm is logged', () => warnings() > 0)
    expect(storm.exitCode).toBeNull()
    expect(warnings()).toBe(1)
  },
)
