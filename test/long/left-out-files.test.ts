import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { linux, needs } from '../support/needs.ts'
import { Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

const LONG = 'x'.repeat(250)

/** Creates a folder whose path is longer than the system allows, one level at a time. */
const makeTooDeep = (root: string): void => {
  const script = 'cd "$0"; for n in $(seq 18); do mkdir "$1" && cd "$1"; done; echo take > take.bin'
  expect(spawnSync('bash', ['-c', script, root, LONG]).status).toBe(0)
}

type Folder = {
  readonly path: string
  readonly state: string
  readonly problems: readonly { readonly code: string; readonly left_out: readonly string[] }[]
}
const foldersOf = async (): Promise<readonly Folder[]> => {
  const { folders } = (await station.status()).station as unknown as { readonly folders?: Folder[] }
  return folders ?? []
}
const problemCodes = async () =>
  (await foldersOf()).flatMap(({ problems }) => problems.map(({ code }) => code))

test('without an agent, `status` shows all files that the last scan left out', needs(linux), async () => {
  station = await Station.open()
  writeFileSync(path.join(station.recordings, 'good.bin'), 'a take')
  const misnamed = Buffer.concat([Buffer.from(`${station.recordings}/take-`), Buffer.from([0xff])])
  writeFileSync(misnamed, 'a take')
  makeTooDeep(station.recordings)
  expect(await station.runToIdle()).toBe(2)

  expect((await problemCodes()).sort()).toEqual(['file-name-not-text', 'folder-path-too-long'])
  const [folder] = await foldersOf()
  expect(folder).toMatchObject({ path: station.recordings, state: 'watching' })
  const leftOut = folder?.problems.flatMap((problem) => problem.left_out) ?? []
  expect(leftOut).toContain(path.join(station.recordings, 'take-\\xff'))
  expect((await station.sluice('status', '--check')).code).toBe(2)
  const { out: text } = await station.sluice('status')
  expect(text).toContain('Left out: ')
  expect(text.split('\n')[0]).not.toContain('is safe')
  const activity = (await station.sluice('activity')).out.replaceAll(/\s+/g, ' ')
  expect(activity).toContain('is not valid text')
  expect(activity).toContain('longer than the system allows')
  const doctor = await station.command('doctor', '--settings', station.settingsFile, '--json')
  const { findings } = JSON.parse(doctor.out) as {
    findings: { subject: string; verdict: string; sentence: string }[]
  }
  expect(findings.find(({ subject }) => subject === station.recordings)).toMatchObject({
    verdict: 'fail',
    sentence: expect.stringMatching(/longer than the system allows.*not valid text/s),
  })

  spawnSync('rm', ['-rf', path.join(station.recordings, LONG)])
  rmSync(misnamed)
  const secondAgent = station.agent()
  await until('nothing is left out', async () => (await problemCodes()).length === 0)
  await secondAgent.kill('SIGTERM')
  await secondAgent.ended
  expect((await station.sluice('status', '--check')).code).toBe(0)
  expect((await station.sluice('activity')).out.replaceAll(/\s+/g, ' ')).toMatch(/Solved in \S+ after/)
})
