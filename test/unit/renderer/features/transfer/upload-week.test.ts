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

const MINUTES = 7 * 24 * 60
const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const transferSchema = settingsSchema.shape.transfer

/** Ten thousand values compare faster as one text. */
const text = (week: readonly Paint[]): string => week.join(' ')

/**
 * An unused limit. A last, always-open window with it stands for "closed", so `allowanceAt` never searches for the next
 * opening.
 */
const CLOSED = 123_456
const always: UploadWindow = { days: [...everyDay], from: '00:00', to: '24:00', limit_mbit_per_s: CLOSED }

/** The agent's behaviour at each minute of a week. 1 June 2026 is a Monday, and its week has no clock change. */
const asTheAgentReads = (windows: readonly UploadWindow[]): readonly Paint[] =>
  Array.from({ length: MINUTES }, (_, minute) => {
    const at = new Date(2026, 5, 1, 0, minute).getTime()
    const allowance = allowanceAt({ windows: windows.length === 0 ? [] : [...windows, always] }, at)
    if (allowance.kind === 'closed') throw new Error('one window is always open')
    if (allowance.limitMbitPerS === CLOSED) return 'closed'
    return allowance.limitMbitPerS ?? 'open'
  })

const time = (last: number) =>
  fc
    .oneof(fc.constantFrom(0, 6 * 60, 18 * 60, 18 * 60 + 30), fc.integer({ min: 0, max: last }))
    .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`)
const aWindow: fc.Arbitrary<UploadWindow> = fc
  .record({
    days: fc.subarray([...everyDay], { minLength: 1 }),
    from: time(1440),
    to: time(1440),
    limit: fc.constantFrom(undefined, 5, 20, 12.5),
  })
  .map(({ limit, ...rest }) => (limit === undefined ? rest : { ...rest, limit_mbit_per_s: limit }))
const windowsOf = fc.array(aWindow, { maxLength: 6 })
const someCells = fc.tuple(fc.nat(CELLS - 1), fc.nat(CELLS - 1)).map(([a, b]) => rectangle(a, b))
const aPaint = fc.constantFrom<Paint>('closed', 'open', 20, 50)

describe('upload hours as a week', () => {
  it('reads windows exactly as the agent does, including overlaps and windows past midnight', () => {
    fc.assert(
      fc.property(windowsOf, (windows) => {
        expect(text(readWeek(windows))).toBe(text(asTheAgentReads(windows)))
      }),
      { numRuns: runs(25) },
    )
  })

  it('writes windows with the same effect at each minute, whatever was there before', () => {
    fc.assert(
      fc.property(windowsOf, windowsOf, (windows, before) => {
        const week = readWeek(windows)
        expect(text(readWeek(writeWeek(week)))).toBe(text(week))
        expect(text(readWeek(writeWeek(week, before)))).toBe(text(week))
      }),
      { numRuns: runs(40) },
    )
  })

  it('painting changes only the painted hours, as the agent reads them too', () => {
    fc.assert(
      fc.property(windowsOf, someCells, aPaint, (windows, cells, paint) => {
        const wanted = [...readWeek(windows)]
        for (const cell of cells) wanted.fill(paint, cell * 60, cell * 60 + 60)
        const painted = paintCells(windows, cells, paint)
        expect(text(asTheAgentReads(painted))).toBe(text(wanted))
      }),
      { numRuns: runs(25) },
    )
  })

  it('creates windows that the settings accept, unless there are too many or none is open', () => {
    fc.assert(
      fc.property(windowsOf, someCells, aPaint, (windows, cells, paint) => {
        const painted = paintCells(windows, cells, paint)
        const isOpen = readWeek(painted).some((value) => value !== 'closed')
        fc.pre(painted.length <= 50)
        expect(transferSchema.safeParse({ windows: painted }).success).toBe(isOpen)
      }),
      { numRuns: runs(25) },
    )
  })
})

test('refuses a week that is never open, and does not turn it into one that always is', () => {
  const all = Array.from({ length: CELLS }, (_, cell) => cell)
  const painted = paintCells([], all, 'closed')
  expect(readWeek(painted).every((paint) => paint === 'closed')).toBe(true)
  expect(transferSchema.safeParse({ windows: painted }).success).toBe(false)
  expect(paintCells(painted, all, 'open')).toEqual([])
})

test('keeps half hours when a different hour is painted, and drops them when they are painted over', () => {
  const half: UploadWindow = { days: ['mon', 'tue'], from: '18:30', to: '06:15', limit_mbit_per_s: 20 }
  const SUNDAY_10 = 6 * 24 + 10
  expect(paintCells([half], [SUNDAY_10], 'open')).toEqual([
    half,
    { days: ['sun'], from: '10:00', to: '11:00' },
  ])
  expect(cellsOf(readWeek([half]))[18]?.stretches).toEqual([
    { from: 18 * 60, to: 18 * 60 + 30, paint: 'closed' },
    { from: 18 * 60 + 30, to: 19 * 60, paint: 20 },
  ])
  expect(paintCells([half], [18, 24 + 18], 20)).toEqual([{ ...half, from: '18:00' }])
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
    'limited working hours in an open week',
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
])('%s', (_name, windows, cells, paint, expected) => {
  const painted = paintCells(windows, cells, paint)
  const sorted = (list: readonly UploadWindow[]) => list.map((window) => JSON.stringify(window)).sort()
  expect(sorted(painted)).toEqual(sorted(expected))
})
