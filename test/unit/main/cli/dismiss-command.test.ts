import { resolve as full } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { problemOf } from '../../../../main/agent/domain/problems.ts'
import { openJournalForCommand } from '../../../../main/agent/journal/journal.ts'
import { pathsOf } from '../../../../shared/paths/paths.ts'
import { draftSettingsSchema } from '../../../../shared/settings/settings.ts'
import { openTempJournal, type TempJournal } from '../../../support/temp-journal.ts'
import { sluice } from '../../../support/typed-command.ts'

const [folder] = draftSettingsSchema.parse({ folders: [{ path: full('/rec'), site: 'lab' }] }).folders

let temp: TempJournal
beforeEach(() => {
  temp = openTempJournal(() => 1_000_000)
})
afterEach(() => temp.close())

/** Adds a recording whose file has vanished, and returns its path. */
const addVanished = (name: string): string => {
  if (folder === undefined) throw new Error('one folder is needed')
  const { recordings } = temp.journal
  const identity = { device: '1', inode: name, sizeBytes: 1, mtimeNs: '1', ctimeNs: '1' }
  const { id, path } = recordings.add({ path: full(`/rec/${name}`), identity }, folder, {
    findSessionFirst: false,
  })
  const problem = problemOf('file-vanished')
  recordings.transition(id, 'growing', { kind: 'vanished' }, { reason: 'gone', patch: { problem } })
  return path
}
const dismiss = (...args: readonly string[]) => sluice('dismiss', ...args, '--data', temp.folder)
const checkExitCode = async () => (await sluice('status', '--check', '--data', temp.folder)).code
const standingOf = async (path: string) => {
  const { out } = await sluice('status', '--json', '--data', temp.folder)
  const { recordings } = JSON.parse(out) as { recordings: { path: string; standing: string }[] }
  return recordings.find((each) => each.path === path)?.standing
}

test('a dismissed recording no longer needs attention; after `--undo`, it needs attention again', async () => {
  const [first, second] = [addVanished('first.bin'), addVanished('second.bin')]
  expect(await checkExitCode()).toBe(2)
  expect(await dismiss(first, second)).toEqual({
    code: 0,
    out: `${first}: dismissed.\n${second}: dismissed.\n`,
    err: '',
  })
  expect(await checkExitCode()).toBe(0)
  expect(await standingOf(first)).toBe('dismissed')

  expect((await dismiss('--undo', first)).code).toBe(0)
  expect(await standingOf(first)).toBe('needs-attention')
  expect(await standingOf(second)).toBe('dismissed')
  expect(await checkExitCode()).toBe(2)
})

test('`dismiss --all` dismisses every recording that needs attention, `--undo --all` undoes this, and `--json` lists the recordings', async () => {
  const paths = [addVanished('first.bin'), addVanished('second.bin')]
  const dismissed = await dismiss('--all', '--json')
  expect(JSON.parse(dismissed.out)).toEqual({ undo: false, recordings: paths, refused: [] })
  expect(await checkExitCode()).toBe(0)
  expect((await dismiss('--all')).out).toBe('No recording needs attention.\n')
  const undone = await dismiss('--all', '--undo', '--json')
  expect(JSON.parse(undone.out)).toEqual({ undo: true, recordings: paths, refused: [] })
  expect((await dismiss('--all', '--undo')).out).toBe('There is no dismissal to undo.\n')
  expect(await checkExitCode()).toBe(2)
})

test('`dismiss` exits with 1 and a message if a recording needs no attention or is unknown', async () => {
  const path = addVanished('first.bin')
  expect((await dismiss(path)).code).toBe(0)
  expect(await dismiss(path)).toMatchObject({ code: 1, err: `${path} does not need attention.\n` })
  expect((await dismiss('--undo', path)).code).toBe(0)
  expect(await dismiss('--undo', path)).toMatchObject({
    code: 1,
    err: `${path} was not dismissed, or its dismissal can no longer be undone.\n`,
  })
  expect(await dismiss(full('/rec/nowhere.bin'))).toMatchObject({
    code: 1,
    err: `sluice: The journal has no recording ${full('/rec/nowhere.bin')}.\n`,
  })
  expect((await dismiss()).err).toContain('Name the path of a recording or give --all, but not both.')
  expect((await dismiss('--all', path)).code).toBe(1)
})

test('`--undo` refuses a recording whose file has reappeared since the dismissal', async () => {
  const path = addVanished('first.bin')
  await dismiss(path)
  const secondJournal = openJournalForCommand(temp.folder, () => 1_000_000, pathsOf(process.platform))
  const recording = secondJournal.recordings.currentByPath(path)
  secondJournal.recordings.transition(recording?.id ?? 0, 'gone', { kind: 'reappeared' }, { reason: 'back' })
  secondJournal.close()
  expect((await dismiss('--undo', path)).code).toBe(1)
})
