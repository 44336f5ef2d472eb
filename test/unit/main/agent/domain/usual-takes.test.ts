import { describe, expect, test } from 'vitest'
import { compareWithUsual, type PastTake, type Take } from '../../../../../main/agent/domain/usual-takes.ts'
import type { InspectedChannel, Inspection } from '../../../../../shared/status/inspection.ts'
import { channel, inspectionOf } from '../../../../support/inspections.ts'

const take = (change: Partial<Inspection> = {}, name = 'take_1.mcap', sizeBytes = 30_000_000): Take => ({
  name,
  sizeBytes,
  inspection: inspectionOf(change),
})

const past = (count: number, change: Partial<Inspection> = {}, report: PastTake['report'] = 'none') =>
  Array.from({ length: count }, (_, index): PastTake => ({ ...take(change, `take_${index}.mcap`), report }))

const withWrist = (change: Partial<InspectedChannel>) => ({
  channels: [channel('/wrist', change), channel('/front')],
})
const withoutWrist = { channels: [channel('/front')] }
const MISSING = '/wrist is missing (usually 30 Hz).'

const reportOf = (...takes: Parameters<typeof compareWithUsual>): readonly string[] => {
  const { deviations, isAccepted } = compareWithUsual(...takes)
  return isAccepted ? [] : deviations
}

test('a recording like all others is not unusual', () => {
  expect(reportOf(take(), past(30))).toEqual([])
})

test('a usual gap below a tenth of a second is shown in milliseconds', () => {
  const earlier = past(30, withWrist({ largestGapS: 0.033 }))
  const unusual = take(withWrist({ messages: 800, largestGapS: 10 }))
  expect(reportOf(unusual, earlier)).toContain('/wrist has a gap of 10 s (usually 33 ms).')
})

test.each([
  ['lacks a channel', take(withoutWrist), MISSING],
  [
    'has a channel without messages',
    take(withWrist({ messages: 0, rateHz: null, largestGapS: null })),
    '/wrist has no messages (usually 30 Hz).',
  ],
  [
    'has a channel that stops halfway',
    take(withWrist({ messages: 450, largestGapS: 15 })),
    '/wrist has 15 Hz on average (usually 30 Hz).',
  ],
  [
    'has a gap',
    take(withWrist({ messages: 800, largestGapS: 4 })),
    '/wrist has a gap of 4 s (usually 0.1 s).',
  ],
  [
    'is short',
    take(
      { durationS: 2, channels: [channel('/wrist', { messages: 60 }), channel('/front', { messages: 60 })] },
      undefined,
      2_000_000,
    ),
    'The recording lasts 2 s (usually 30 s).',
  ],
  ['is small', take({}, undefined, 300_000), 'The file has 10.0 kB per second (usually 1.0 MB).'],
  ['is cut off', take({ completeness: 'cut-off', channels: [] }), 'The file is cut off.'],
])('a recording that %s is unusual', (_, unusual, sentence) => {
  expect(reportOf(unusual, past(30))).toContain(sentence)
})

test('a black camera is unusual only if its earlier pictures were checked and were never black', () => {
  const black = withWrist({ signal: 'black' })
  const isBlack = ['/wrist is black (usually not).']
  expect(reportOf(take(black), past(30, withWrist({ signal: 'varies' })))).toEqual(isBlack)
  expect(reportOf(take(black), past(30, black))).toEqual([])
  // Earlier versions did not check pictures, so their inspections show no habit.
  expect(reportOf(take(black), past(30))).toEqual([])
})

test('four recordings show no habit, five do', () => {
  expect(reportOf(take(withoutWrist), past(4))).toEqual([])
  expect(reportOf(take(withoutWrist), past(5))).toEqual([MISSING])
})

test('a channel that is missing now and then is optional', () => {
  const sometimes = past(30).map((each, index) =>
    index % 10 === 0 ? { ...each, inspection: { ...each.inspection, ...withoutWrist } } : each,
  )
  expect(reportOf(take(withoutWrist), sometimes)).toEqual([])
})

test('a slow channel may be missing if the recording is very short', () => {
  const slow = {
    channels: [channel('/wrist'), channel('/slow', { messages: 30, rateHz: 1, largestGapS: 1 })],
  }
  const short = take({ durationS: 20, channels: [channel('/wrist', { messages: 600 })] })
  expect(reportOf(short, past(30, slow))).toEqual(['/slow is missing (usually 1 Hz).'])
  const shorter = take({ durationS: 4, channels: [channel('/wrist', { messages: 120 })] })
  expect(reportOf(shorter, past(30, slow)).join()).not.toContain('/slow')
})

describe('a fault that lasts', () => {
  test('is reported for each recording', () => {
    expect(reportOf(take(withoutWrist), [...past(10, withoutWrist, 'reported'), ...past(20)])).toEqual([
      MISSING,
    ])
  })

  test('is accepted after two dismissals in a row, but not after one', () => {
    const once = [...past(1, withWrist({ rateHz: 15, messages: 450 }), 'dismissed'), ...past(20)]
    const slow = take(withWrist({ rateHz: 15, messages: 450 }))
    expect(reportOf(slow, once)).toHaveLength(1)
    const twice = [...past(2, withWrist({ rateHz: 15, messages: 450 }), 'dismissed'), ...past(20)]
    expect(reportOf(slow, twice)).toEqual([])
    expect(compareWithUsual(slow, twice)).toMatchObject({
      deviations: [expect.any(String)],
      isAccepted: true,
    })
  })

  test('is reported again if it ends and returns, although a user dismissed it', () => {
    const small = (report: PastTake['report']): PastTake => ({ ...take({}, undefined, 300_000), report })
    const fault: PastTake[] = []
    for (const answer of ['dismissed', 'dismissed', null, null] as const) {
      const { isAccepted } = compareWithUsual(small('none'), [...fault, ...past(20)])
      expect(isAccepted).toBe(answer === null)
      fault.unshift(small(answer ?? 'dismissed'))
    }
    expect(reportOf(small('none'), [...past(2), ...fault, ...past(20)])).toHaveLength(1)
  })

  test('is reported again after one dismissal, because one absence does not make a channel optional', () => {
    const dismissed = past(1, withoutWrist, 'dismissed')
    expect(reportOf(take(withoutWrist), [...dismissed, ...past(12)])).toEqual([MISSING])
    expect(reportOf(take(withoutWrist), [...past(8), ...dismissed, ...past(12)])).toEqual([MISSING])
  })

  test('is accepted after two dismissals in a row, until a recording has the channel again', () => {
    const dismissed = past(2, withoutWrist, 'dismissed')
    const accepted = { deviations: [MISSING], isAccepted: true }
    expect(compareWithUsual(take(withoutWrist), [...dismissed, ...past(12)])).toEqual(accepted)
    expect(reportOf(take(withoutWrist), [...past(1), ...dismissed, ...past(12)])).toEqual([MISSING])
  })

  test('makes a channel optional after dismissals at two different times', () => {
    const dismissed = past(1, withoutWrist, 'dismissed')
    const twoAbsences = [...past(4), ...dismissed, ...past(4), ...dismissed, ...past(12)]
    expect(reportOf(take(withoutWrist), twoAbsences)).toEqual([])
  })

  test('is the new habit if most recordings have it', () => {
    expect(reportOf(take(withoutWrist), [...past(21, withoutWrist, 'dismissed'), ...past(20)])).toEqual([])
  })
})

describe('a folder with several kinds of recordings', () => {
  const front = past(10, { channels: [channel('/front')] }).map((each, index) => ({
    ...each,
    name: `front_${index}.mcap`,
  }))

  test('compares each kind with its own past', () => {
    const mixed = [...front, ...past(10)]
    expect(reportOf({ ...take(withoutWrist), name: 'front_99.mcap' }, mixed)).toEqual([])
    expect(reportOf(take(withoutWrist), mixed)).toEqual([MISSING])
  })

  test('compares a new kind with nothing', () => {
    expect(reportOf({ ...take(withoutWrist), name: 'calibration.mcap' }, past(20))).toEqual([])
  })

  test('compares recordings with hand-typed names as one kind', () => {
    const words = ['cup', 'door', 'shelf', 'box', 'drawer', 'lamp']
    const typed = past(6).map((each, index) => ({ ...each, name: `${words[index]}.mcap` }))
    expect(reportOf({ ...take(withoutWrist), name: 'plate.mcap' }, typed)).toEqual([MISSING])
  })
})

describe('a short file', () => {
  const files = (names: readonly string[], durationS = 60): readonly PastTake[] =>
    names.map((name) => ({ ...take({ durationS }, name, durationS * 1e6), report: 'none' }))
  const split = files([1, 2].flatMap((drive) => [3, 2, 1, 0].map((part) => `drive${drive}_${part}.mcap`)))
  const short = (name: string) => take({ durationS: 6 }, name, 6e6)
  const LASTS = 'The recording lasts 6 s (usually 1 min).'

  test('may be the last file of a split recording', () => {
    expect(reportOf(short('drive1_4.mcap'), split)).not.toContain(LASTS)
  })

  test('is unusual if it is the first file of a split recording', () => {
    expect(reportOf(short('drive3_0.mcap'), split)).toContain(LASTS)
  })

  test('is unusual if all recordings are numbered in one sequence', () => {
    const numbered = files([8, 7, 6, 5, 4, 3].map((number) => `take_${number}.mcap`))
    expect(reportOf(short('take_9.mcap'), numbered)).toContain(LASTS)
  })

  test('is unusual after a file that is not full, because only the last file of a split recording is shorter', () => {
    const days = [1, 2].flatMap((day) => [3, 2, 1].map((number) => `day${day}_${number}.mcap`))
    const [newest, ...others] = files(days)
    const varied = [...files([newest!.name], 50), ...others]
    expect(reportOf(short('day1_4.mcap'), varied)).toContain(LASTS)
  })
})

test('an inspection that ended early is not compared', () => {
  const partial = take({
    channels: [],
    warnings: [{ code: 'took-too-long', detail: 'The inspection took too long.' }],
  })
  expect(reportOf(partial, past(30))).toEqual([])
})
