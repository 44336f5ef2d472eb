import { expect, test } from 'vitest'
import * as commands from '../../main/agent/calls/commands.ts'
import { problemOf } from '../../main/agent/domain/problems.ts'
import type { EventKind, RecordingEvent } from '../../main/agent/domain/states.ts'
import { draftSettingsSchema } from '../../shared/settings.ts'
import type { RecordingState } from '../../shared/status.ts'
import { AgentProcess } from '../support/station.ts'
import { openTempJournal } from '../support/temp-journal.ts'

test('the terminal says where each recording stands and the headline, in the words of the window', async () => {
  const { journal, folder: data, close } = openTempJournal(Date.now)
  const [folder] = draftSettingsSchema.parse({ folders: [{ path: '/rec', site: 'Hall 3' }] }).folders
  journal.station.setService('https://api.example.com')
  const add = (name: string, end: 'processed' | 'processing-failed') => {
    const identity = { device: '1', inode: name, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
    const { recordings } = journal
    const { id } = recordings.add({ path: `/rec/${name}`, identity }, folder!, { lookFirst: false })
    const step = (from: RecordingState, kind: EventKind) =>
      recordings.transition(id, from, { kind } as RecordingEvent, { reason: kind })
    const session = { sessionId: `ses_${name}`, service: 'https://api.example.com' }
    step('growing', 'settled')
    step('queued', 'hash-started')
    step('hashing', 'hashed')
    recordings.transition(id, 'ready', { kind: 'session-opened' }, { reason: 'opened', patch: session })
    step('uploading', 'parts-sent')
    step('completing', 'completed')
    const patch = end === 'processed' ? {} : { problem: problemOf('processing-failed') }
    return recordings.transition(id, 'processing', { kind: end }, { reason: end, patch })
  }
  add('one.mcap', 'processed')
  const failed = add('two.mcap', 'processing-failed')
  if (failed !== null) commands.dismiss(journal, failed)

  const status = new AgentProcess(['status', '--data', data], { keepOutput: true })
  await status.ended
  const lines = status.stdout.trim().split('\n')
  expect(lines[0]).toMatch(/^Safe .*one\.mcap$/)
  expect(lines[1]).toMatch(/^Set aside .*two\.mcap$/)
  expect(lines.at(-1)).toBe('1 of 2 is safe, 1 set aside.')
  close()
})
