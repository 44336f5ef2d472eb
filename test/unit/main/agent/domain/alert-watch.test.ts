import { expect, test } from 'vitest'
import { AlertWatch } from '../../../../../main/agent/domain/alert-watch.ts'
import type { Need } from '../../../../../main/agent/domain/attention.ts'
import type { Status } from '../../../../../shared/status/status.ts'

test('an alert that the journal refuses does not count towards the alert limit', () => {
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

test('the alert about a recording to check is resolved only once a complete list no longer contains the recording', () => {
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
