import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { allowanceAt } from '../../../../../main/agent/domain/upload-windows.ts'
import {
  CELLS,
  cellsOf,
  type Paint,
  paintCells,
  readWeek,
  rectangle,
  writeWeek,
} from '../../../../../renderer/features/transfer/upload-week.ts'
import { settingsSchema, type UploadWindow } from '../../../../../shared/settings/settings.ts'
import { runs } from '../../../../support/runs.ts'

const MINUTES_PER_WEEK = 7 * 24 * 60
const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const transferSchema = settingsSchema.shape.transfer

/** Joins the week into one text, because 10,000 values compare faster as one text. */
const textOf = (week: readonly Paint[]): string => week.join(' ')

/** Marks closed minutes: the tests add a window that is always open, because `allowanceAt` is slow if none is open. */
const CLOSED_MBIT_PER_S = 123_456
const always: UploadWindow = {
  days: [...everyDay],
  from: '00:00',
  to: '24:00',
  limit_mbit_per_s: CLOSED_MBIT_PER_S,
}

/** The agent's behaviour at each minute of a week. 1 June 2026 is a Monday, and its week has no clock change. */
const readLikeAgent = (windows: readonly UploadWindow[]): readonly Paint[] =>
  Array.from({ length: MINUTES_PER_WEEK }, (_, minute) => {
    const at = new Date(2026, 5, 1, 0, minute).getTime()
    const allowance = allowanceAt({ windows: windows.length === 0 ? [] : [...windows, always] }, at)
    if (allowance.kind === 'closed') throw new Error('one window is always open')
    if (allowance.limitMbitPerS === CLOSED_MBIT_PER_S) return 'closed'
    return allowance.limitMbitPerS ?? 'open'
  })

const anyTime = (lastMinute: number) =>
  fc
    .oneof(fc.constantFrom(0, 6 * 60, 18 * 60, 18 * 60 + 30), fc.integer({ min: 0, max: lastMinute }))
    .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`)
const anyWindow: fc.Arbitrary<UploadWindow> = fc
  .record({
    days: fc.subarray([...everyDay], { minLength: 1 }),
    from: anyTime(1440),
    to: anyTime(1440),
    limit: fc.constantFrom(undefined, 5, 20, 12.5),
  })
  .map(({ limit, ...rest }) => (limit === undefined ? rest : { ...rest, limit_mbit_per_s: limit }))
const anyWindows = fc.array(anyWindow, { maxLength: 6 })
const anyCells = fc.tuple(fc.nat(CELLS - 1), fc.nat(CELLS - 1)).map(([a, b]) => rectangle(a, b))
const anyPaint = fc.constantFrom<Paint>('closed', 'open', 20, 50)

describe('upload hours as a week', () => {
  it('reads windows exactly as the agent does, including overlaps and windows past midnight', () => {
    fc.assert(
      fc.property(anyWindows, (windows) => {
        expect(textOf(readWeek(windows))).toBe(textOf(readLikeAgent(windows)))
      }),
      { numRuns: runs(25) },
    )
  })

  it('writes windows with the same effect at each minute, for any previous windows', () => {
    fc.assert(
      fc.property(anyWindows, anyWindows, (windows, before) => {
        const week = readWeek(windows)
        expect(textOf(readWeek(writeWeek(week)))).toBe(textOf(week))
        expect(textOf(readWeek(writeWeek(week, before)))).toBe(textOf(week))
      }),
      { numRuns: runs(40) },
    )
  })

  it('changes only the painted hours', () => {
    fc.assert(
      fc.property(anyWindows, anyCells, anyPaint, (windows, cells, paint) => {
        const expectedWeek = [...readWeek(windows)]
        for (const cell of cells) expectedWeek.fill(paint, cell * 60, cell * 60 + 60)
        const painted = paintCells(windows, cells, paint)
        expect(textOf(readLikeAgent(painted))).toBe(textOf(expectedWeek))
      }),
      { numRuns: runs(25) },
    )
  })

  it('creates windows that the settings accept, unless there are too many or none is open', () => {
    fc.assert(
      fc.property(anyWindows, anyCells, anyPaint, (windows, cells, paint) => {
        const painted = paintCells(windows, cells, paint)
        const isOpen = readWeek(painted).some((value) => value !== 'closed')
        fc.pre(painted.length <= 50)
        expect(transferSchema.safeParse({ windows: painted }).success).toBe(isOpen)
      }),
      { numRuns: runs(25) },
    )
  })
})

test('a week without an open hour is refused, and does not count as a week without limits', () => {
  const all = Array.from({ length: CELLS }, (_, cell) => cell)
  const painted = paintCells([], all, 'closed')
  expect(readWeek(painted).every((paint) => paint === 'closed')).toBe(true)
  expect(transferSchema.safeParse({ windows: painted }).success).toBe(false)
  expect(paintCells(painted, all, 'open')).toEqual([])
})

test('a half hour stays until the user paints over its hour', () => {
  const halfHourWindow: UploadWindow = {
    days: ['mon', 'tue'],
    from: '18:30',
    to: '06:15',
    limit_mbit_per_s: 20,
  }
  const SUNDAY_10 = 6 * 24 + 10
  expect(paintCells([halfHourWindow], [SUNDAY_10], 'open')).toEqual([
    halfHourWindow,
    { days: ['sun'], from: '10:00', to: '11:00' },
  ])
  expect(cellsOf(readWeek([halfHourWindow]))[18]?.stretches).toEqual([
    { from: 18 * 60, to: 18 * 60 + 30, paint: 'closed' },
    { from: 18 * 60 + 30, to: 19 * 60, paint: 20 },
  ])
  expect(paintCells([halfHourWindow], [18, 24 + 18], 20)).toEqual([{ ...halfHourWindow, from: '18:00' }])
})

test.each<[string, readonly UploadWindow[], readonly number[], Paint, readonly UploadWindow[]]>([
  [
    'a night is one window',
    [{ days: [...everyDay], from: '18:00', to: '06:00' }],
    [...rectangle(17, 6 * 24 + 17)],
    'open',
    [{ days: [...everyDay], from: '17:00', to: '06:00' }],
  ],
  [
    'days with the same hours are one window',
    [{ days: ['mon'], from: '18:00', to: '24:00' }],
    [...rectangle(24 + 18, 3 * 24 + 23)],
    'open',
    [{ days: ['mon', 'tue', 'wed', 'thu'], from: '18:00', to: '24:00' }],
  ],
  [
    'limited working hours divide an open week into five windows',
    [],
    [...rectangle(8, 4 * 24 + 17)],
    20,
    [
      { days: ['mon', 'tue', 'wed', 'thu'], from: '18:00', to: '08:00' },
      { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', to: '18:00', limit_mbit_per_s: 20 },
      { days: ['fri'], from: '18:00', to: '24:00' },
      { days: ['sat', 'sun'], from: '00:00', to: '24:00' },
      { days: ['mon'], from: '00:00', to: '08:00' },
    ],
  ],
])('%s', (_, windows, cells, paint, expected) => {
  const painted = paintCells(windows, cells, paint)
  const sorted = (list: readonly UploadWindow[]) => list.map((window) => JSON.stringify(window)).sort()
  expect(sorted(painted)).toEqual(sorted(expected))
})
