import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkDisk } from '../../../../../main/agent/calls/verify-receipt.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { pathsOf } from '../../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { ReceiptEntry } from '../../../../../shared/status/receipt.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'
import { sluice } from '../../../../support/typed-command.ts'

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(Date.now)
})
afterEach(() => temp.close())

const runSluice = (...args: readonly string[]) => sluice(...args, '--data', temp.folder)

const addRecording = (file: string, site: string) => {
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site, device: '{stem}' }] }).folders
  if (folder === undefined) throw new Error('one folder is needed')
  const identity = { device: '1', inode: file, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  return temp.journal.recordings.add({ path: file, identity }, folder, { findSessionFirst: false })
}

test('exports and receipts show the site of each recording, not its placeholder', async () => {
  addRecording('/rec/hall-3/take.bin', '{1}')
  addRecording('/rec/loose.bin', '{1}')
  const exported = JSON.parse((await runSluice('export', 'recordings', '--json')).out) as {
    recordings: { site: string | null; device: string | null }[]
  }
  expect(exported.recordings.map(({ site, device }) => [site, device])).toEqual([
    ['hall-3', 'take'],
    [null, 'loose'],
  ])
  const receipt = JSON.parse((await runSluice('receipt', '--since', '2020-01-01')).out) as {
    recordings: { site: string }[]
  }
  expect(receipt.recordings.map(({ site }) => site)).toEqual(['hall-3', ''])
})

test('status shows a pause even while a recording needs attention', async () => {
  const { id } = addRecording('/rec/take.bin', 'lab')
  const problem = problemOf('file-vanished')
  const { recordings } = temp.journal
  recordings.transition(id, 'growing', { kind: 'vanished' }, { reason: 'gone', patch: { problem } })
  expect((await runSluice('status')).out).not.toContain('Paused')
  expect((await runSluice('pause')).code).toBe(0)
  expect((await runSluice('status')).out).toMatch(/Paused by you since [\w: ]+ until you resume/)
})

test('verify shows exact sizes if the rounded sizes are equal', async () => {
  const file = path.join(temp.folder, 'take.bin')
  writeFileSync(file, Buffer.alloc(1_701))
  const entry = { path: file, current: true, sha256: 'a'.repeat(64), bytes: 1_700 } as ReceiptEntry
  const check = (bytes: number) =>
    checkDisk({ ...entry, bytes }, { paths: pathsOf(process.platform), folders: [], onBytes: () => {} })
  expect(await check(1_700)).toMatchObject({
    sentence: 'The file has changed: 1,701 bytes instead of 1,700.',
  })
  expect(await check(9_000)).toMatchObject({ sentence: 'The file has changed: 1.7 kB instead of 9.0 kB.' })
})
