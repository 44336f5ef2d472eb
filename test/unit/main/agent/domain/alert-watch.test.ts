import { expect, test } from 'vitest'
import { AlertWatch } from '../../../../../main/agent/domain/alert-watch.ts'
import type { Need } from '../../../../../main/agent/domain/attention.ts'
import type { Status } from '../../../../../shared/status/status.ts'

test('an alert that the journal cannot store does not count towards the hourly limit of alerts', () => {
  const watch = new AlertWatch()
  const status = { station: { problem: null, serviceReachable: true }, folders: [], driveSpace: [] }
  const check = (nowMs: number) =>
    watch.check([{ subject: 'station disk-full' } as Need], [], status as unknown as Status, nowMs)
  // The disk is full: every two seconds an alert is due, but the journal cannot store it.
  for (let nowMs = 0; nowMs < 60_000; nowMs += 2_000) check(nowMs)
  const change = check(60_000)
  expect(change).not.toBeNull()
  for (let alerts = 0; alerts < 6; alerts += 1) if (change !== null) watch.noteReported(change, 60_000)
  expect(check(60_001)).toBeNull()
})

test('the alert about a recording to check is resolved only if a complete list no longer contains the recording', () => {
  const resolvedWith = (count: number) => {
    const watch = new AlertWatch()
    const status = { takesToCheck: { count, newest: [{ id: 2 }] } } as unknown as Status
    const check = (nowMs: number) => watch.check([], ['take 1'], status, nowMs)
    check(0)
    return check(60_000)?.endedSubjects ?? []
  }
  expect(resolvedWith(1)).toEqual(['take 1'])
  // The status lists only the newest of two recordings, so recording 1 may still need a check.
  expect(resolvedWith(2)).toEqual([])
})

const station = { problem: null, serviceReachable: true, paused: false }

/** Whether an alert about `subject` counts as resolved after a minute without the problem. */
const isResolved = (subject: string, facts: object): boolean => {
  const watch = new AlertWatch()
  const status = { station, folders: [], driveSpace: [], ...facts } as unknown as Status
  watch.check([], [subject], status, 0)
  return watch.check([], [subject], status, 60_000)?.endedSubjects.includes(subject) ?? false
}

const folder = (path: string, state = 'watching') => ({ path, state })
const drive = (name: string, folders: readonly string[], isKnown = true) => ({
  name,
  folders,
  space: isKnown ? { totalBytes: 100, freeBytes: 50 } : null,
})

test('the alert about a silent folder stays open while Sluice does not check the folder', () => {
  const check = (state: string, paused = false) =>
    isResolved('silence /hall', { station: { ...station, paused }, folders: [folder('/hall', state)] })
  for (const state of ['scanning', 'offline', 'replaced', 'unusable']) expect(check(state)).toBe(false)
  expect(check('watching', true)).toBe(false)
  expect(check('watching')).toBe(true)
  expect(isResolved('silence /hall', { folders: [folder('/other', 'offline')] })).toBe(true)
})

test('the alert about low space stays open while the free space is unknown, unless the drive has no folder any more', () => {
  const folders = [folder('/a'), folder('/b')]
  const check = (...driveSpace: object[]) => isResolved('drive B:', { folders, driveSpace })
  expect(check()).toBe(false)
  expect(check(drive('A:', ['/a']))).toBe(false)
  expect(check(drive('A:', ['/a']), drive('/b', ['/b'], false))).toBe(false)
  expect(check(drive('A:', ['/a']), drive('B:', ['/b']))).toBe(true)
  expect(check(drive('A:', ['/a', '/b']))).toBe(true)
})

test('alerts about left-out files stay open while the folder is missing; alerts about a missing folder, while Sluice scans it', () => {
  const check = (code: string, state: string) =>
    isResolved(`folder ${code} /hall`, { folders: [folder('/hall', state)] })
  expect(check('folder-entry-unreadable', 'offline')).toBe(false)
  expect(check('folder-entry-unreadable', 'watching')).toBe(true)
  // The folder is no longer missing: it now has a different problem, with an alert of its own.
  expect(check('folder-offline', 'replaced')).toBe(true)
  expect(check('folder-offline', 'scanning')).toBe(false)
})
