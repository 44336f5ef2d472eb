import { afterEach, beforeEach, expect, test } from 'vitest'
import { actOnPaths } from '../../../../../main/agent/calls/path-commands.ts'
import type { RecordingEvent } from '../../../../../main/agent/domain/states.ts'
import { openJournalForCommand } from '../../../../../main/agent/journal/journal.ts'
import { noteDeletion } from '../../../../../main/agent/sessions/session-deletion.ts'
import { withJournal } from '../../../../../main/cli/journal-commands.ts'
import { linuxPaths } from '../../../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../../../shared/settings/settings.ts'
import { holdJournal, startSlowWrite } from '../../../../support/hold-journal.ts'
import { openTempJournal, type TempJournal } from '../../../../support/temp-journal.ts'
import { sluice } from '../../../../support/typed-command.ts'

/** The agent may change a recording after a command has read it, while the command still runs. */

const FILE = '/rec/take.bin'

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(Date.now, linuxPaths)
  const [folder] = settingsSchema.shape.folders.parse([{ path: '/rec', site: 'lab' }])
  const identity = { device: '1', inode: '1', sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  temp.journal.recordings.add({ path: FILE, identity }, folder!, { findSessionFirst: false })
})
afterEach(() => temp.close())

const readRecording = () => temp.journal.recordings.byId(1)
const applyEvents = (...events: readonly RecordingEvent['kind'][]) => {
  for (const kind of events) {
    const patch = kind === 'session-opened' ? { sessionId: 'ses_1' } : {}
    temp.journal.recordings.transition(1, readRecording()!.state, { kind }, { reason: '', patch })
  }
}

test('if a session completes while a command deletes it, the recording fails without a problem and is not paused', async () => {
  applyEvents('settled', 'hash-started', 'hashed', 'session-opened', 'parts-sent')
  const agent = await startSlowWrite(temp.folder, "UPDATE recordings SET state = 'processing'")
  const command = openJournalForCommand(temp.folder, Date.now, linuxPaths)
  noteDeletion(command, 'ses_1', null)
  command.close()
  await agent.written
  expect(readRecording()).toMatchObject({
    state: 'failed',
    paused: false,
    problem: null,
  })
})

test('a retry loses no parts if the agent already uploads the recording again', async () => {
  applyEvents(
    'settled',
    'hash-started',
    'hashed',
    'session-opened',
    'parts-sent',
    'completed',
    'processing-failed',
  )
  temp.journal.parts.replace(1, [{ bytes: 1, sha256: 'a' }])
  temp.journal.parts.markSent(1, 1, '"etag"', { guessed: false })
  const agent = await startSlowWrite(temp.folder, "UPDATE recordings SET state = 'uploading'")
  withJournal(temp.folder, (journal) => actOnPaths(journal, { action: 'retry', paths: [FILE] }), linuxPaths)
  await agent.written
  expect(readRecording()?.state).toBe('uploading')
  expect(temp.journal.parts.of(1)).toMatchObject([{ etag: '"etag"' }])
})

test('a command reports that the journal is locked and that nothing was changed', async () => {
  const holder = await holdJournal(temp.folder)
  expect(await sluice('retry', FILE, '--data', temp.folder)).toEqual({
    code: 1,
    out: '',
    err: 'sluice: Another program has locked the journal, so nothing was changed. Try again in a moment.\n',
  })
  await holder.release()
})
