import { expect, test } from 'vitest'
import { allowanceAt } from '../../../../../main/agent/domain/upload-windows.ts'
import type { UploadWindow } from '../../../../../shared/settings/settings.ts'

const timeMs = (text: string) => new Date(text).getTime()
const night: UploadWindow = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '18:00', to: '06:00' }

// 2026-11-13 is a Friday.
test.each([
  ['Friday evening', '2026-11-13T19:00:00', 'open'],
  ['early Saturday, which belongs to Friday’s window', '2026-11-14T05:59:00', 'open'],
  ['Saturday morning after Friday’s window', '2026-11-14T06:00:00', 'closed'],
  ['Saturday evening', '2026-11-14T19:00:00', 'closed'],
  ['Monday before dawn: Sunday has no window', '2026-11-16T03:00:00', 'closed'],
  ['Monday evening', '2026-11-16T18:00:00', 'open'],
])('%s (%s): uploads are %s', (_, time, kind) => {
  expect(allowanceAt({ windows: [night] }, timeMs(time)).kind).toBe(kind)
})

test('reports when the next upload hours begin', () => {
  expect(allowanceAt({ windows: [night] }, timeMs('2026-11-14T12:00:30'))).toEqual({
    kind: 'closed',
    opensAtMs: timeMs('2026-11-16T18:00:00'),
  })
})

test('without a window, uploads are always allowed, at the general limit; a window may have its own limit', () => {
  expect(allowanceAt({ windows: [], limit_mbit_per_s: 40 }, timeMs('2026-11-14T12:00:00'))).toEqual({
    kind: 'open',
    limitMbitPerS: 40,
  })
  const limited = { ...night, limit_mbit_per_s: 5 }
  expect(allowanceAt({ windows: [limited], limit_mbit_per_s: 40 }, timeMs('2026-11-13T20:00:00'))).toEqual({
    kind: 'open',
    limitMbitPerS: 5,
  })
})

test('a window can end at midnight', () => {
  const evening: UploadWindow = { days: ['fri'], from: '20:00', to: '24:00' }
  expect(allowanceAt({ windows: [evening] }, timeMs('2026-11-13T23:59:00')).kind).toBe('open')
  expect(allowanceAt({ windows: [evening] }, timeMs('2026-11-14T00:00:00')).kind).toBe('closed')
})
