import { expect, test } from 'vitest'
import { checkDisk } from '../../../../main/agent/calls/verify-receipt.ts'
import { windowsPaths } from '../../../../shared/paths/paths.ts'
import type { ReceiptEntry } from '../../../../shared/status/receipt.ts'

/** On Windows, a path can name a different PC. If Sluice opened it, Windows would send the user's credentials there. */

const folders = ['\\\\nas\\recordings', 'D:\\rec']
const time = new Date(0).toISOString()
const entryAt = (path: string): ReceiptEntry => ({
  path,
  site: 'lab',
  device: null,
  bytes: 12,
  sha256: 'a'.repeat(64),
  state: 'processed',
  current: true,
  service: 'https://api.example.com',
  session_id: 'ses_1',
  times: { found: time, hashed: time, session_created: time, completed: time, processed: time },
  service_times: { created: time, processed: time },
  parts: [],
  request_ids: [],
})
const check = (entry: ReceiptEntry) => checkDisk(entry, { paths: windowsPaths, folders, onBytes: () => {} })

test.each([
  '\\\\evil\\share\\take.bin',
  '//evil/share/take.bin',
  '\\\\?\\UNC\\evil\\share\\take.bin',
  '\\\\.\\UNC\\evil\\share\\take.bin',
  '\\\\nas\\other\\take.bin',
  '\\\\nas\\recordings2\\take.bin',
  '\\\\.\\pipe\\take',
  '\\\\?\\GLOBALROOT\\Device\\Mup\\evil\\share\\take.bin',
])('%s is not opened for a receipt', async (path) => {
  const refusal = { verdict: 'unchecked', what: 'not-a-folder-here' }
  expect(await check(entryAt(path))).toMatchObject(refusal)
  const movedEntry = { ...entryAt('D:\\rec\\take.bin'), removed_at: time, moved_to: path }
  expect(await check(movedEntry)).toMatchObject(refusal)
})

test.each(['\\\\nas\\recordings\\take.bin', '\\\\?\\UNC\\NAS\\Recordings\\take.bin', 'C:\\take.bin'])(
  '%s is opened for a receipt',
  async (path) => {
    expect(await check(entryAt(path))).not.toMatchObject({ what: 'not-a-folder-here' })
  },
)
