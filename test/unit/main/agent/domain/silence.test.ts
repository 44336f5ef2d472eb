import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NightRecord, nightRecordOf } from '../../../../../main/agent/domain/recording-habit.ts'
import { judgeSilence, type SilenceVerdict } from '../../../../../main/agent/domain/silence.ts'
import { silenceBecause, silenceSentence } from '../../../../../main/agent/domain/silence-words.ts'
import {
  nightAt,
  nightNamed,
  nightsUntil,
  QUARTER_MS,
  quarterOf,
  SLOTS,
} from '../../../../../shared/status/nights.ts'

/** A Thursday evening, 23:15. */
const NOW = new Date(2026, 2, 12, 23, 15)
const SLOTS_PER_HOUR = 4

type NightOptions = Partial<Pick<NightRecord, 'watched' | 'silenceMark'>>

const allWatched = Array.from({ length: SLOTS }, () => true)

const makeNight = (name: string, slots: readonly number[], options: NightOptions = {}): NightRecord => {
  const counts = Array.from({ length: SLOTS }, (_, slot) => slots.filter((one) => one === slot).length)
  const weekday = new Date(nightNamed(name)?.startMs ?? 0).getDay()
  return { name, weekday, counts, watched: allWatched, recorded: slots.length, silenceMark: null, ...options }
}

const slotRange = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

/** The nights of several usual weeks, then tonight. The functions get the weekday (0 is Sunday) and the index. */
const makeHistory = (
  weeks: number,
  usual: (weekday: number, index: number) => readonly number[],
  tonight: readonly number[],
  options: (weekday: number, index: number) => NightOptions = () => ({}),
): readonly NightRecord[] => {
  const nights = nightsUntil(NOW.getTime(), weeks * 7 + 1)
  return nights.map(({ name, startMs }, index) => {
    const weekday = new Date(startMs).getDay()
    return index === nights.length - 1
      ? makeNight(name, tonight)
      : makeNight(name, usual(weekday, index), options(weekday, index))
  })
}

/** One recording each quarter of an hour, from 19:30 to 05:30. */
const workingSlots = slotRange(6, 46)
const nightly = () => workingSlots
const verdictAt = (nights: readonly NightRecord[], slots: number) => judgeSilence(nights, slots).kind

describe('a folder', () => {
  it('is silent 45 minutes after its nightly recorder should have started', () => {
    const nights = makeHistory(8, nightly, [])
    expect(verdictAt(nights, 6)).toBe('as-usual')
    expect(judgeSilence(nights, 9)).toMatchObject({ kind: 'silent', how: 'not-begun', recordedTonight: 0 })
  })

  it('is silent if its recordings stop in the middle of the night, but not during a short pause', () => {
    const nights = makeHistory(8, nightly, slotRange(6, 20))
    expect(verdictAt(nights, 22)).toBe('as-usual')
    expect(judgeSilence(nights, 20 + 2 * SLOTS_PER_HOUR)).toMatchObject({
      kind: 'silent',
      how: 'stopped',
      recordedTonight: 14,
    })
  })

  it('is not silent while it records as usual, nor after its usual end', () => {
    for (const slots of [0, 10, 30, 46, 60, 95])
      expect(
        verdictAt(
          makeHistory(
            8,
            nightly,
            workingSlots.filter((slot) => slot < slots),
          ),
          slots,
        ),
      ).toBe('as-usual')
  })

  it('is judged by the nights of its season, not by months without recordings', () => {
    const season = (_: number, index: number) => (index < 45 ? [] : workingSlots)
    expect(verdictAt(makeHistory(8, season, []), 60)).toBe('silent')
  })

  it('stays silent night after night, even over a quiet weekend', () => {
    const weekdays = (weekday: number) => (weekday === 5 || weekday === 6 ? [] : workingSlots)
    const silentFor = (nightsAgo: number) => {
      const all = makeHistory(9, weekdays, [])
      return all.map((night, index) =>
        index > all.length - 1 - nightsAgo ? makeNight(night.name, []) : night,
      )
    }
    for (const nights of [1, 2, 4, 8, 20])
      expect([nights, verdictAt(silentFor(nights), 60)]).toEqual([nights, 'silent'])
  })

  it('is silent after many nights without recordings, even if it usually records only in half of the nights', () => {
    const irregular = (_: number, index: number) => (index > 44 || index % 9 < 4 ? [] : workingSlots)
    expect(verdictAt(makeHistory(8, irregular, []), 60)).toBe('silent')
    const stoppedRecently = (_: number, index: number) => (index > 53 || index % 9 < 4 ? [] : workingSlots)
    expect(verdictAt(makeHistory(8, stoppedRecently, []), 60)).not.toBe('silent')
  })

  it('is silent even if the PC was off in every third night, because those nights do not count', () => {
    const options = (_: number, index: number) =>
      index % 3 === 0 ? { watched: allWatched.map(() => false) } : {}
    const nights = makeHistory(8, (_, index) => (index % 3 === 0 ? [] : workingSlots), [], options)
    expect(verdictAt(nights, 60)).toBe('silent')
  })
})

describe('a folder is not silent', () => {
  const notSilent: readonly (readonly [string, readonly NightRecord[], SilenceVerdict['kind']])[] = [
    [
      'because it was added recently',
      makeHistory(
        8,
        (_, index) => (index < 52 ? [] : workingSlots),
        [],
        (_, index) => (index < 52 ? { watched: allWatched.map(() => false) } : {}),
      ),
      'unknown',
    ],
    ['because it has never recorded anything', makeHistory(8, () => [], []), 'unknown'],
    [
      'on a weekday that was always quiet',
      makeHistory(8, (weekday) => (weekday === 4 || weekday === 6 ? [] : workingSlots), []),
      'quiet-by-habit',
    ],
    [
      'because its recorder has no regular times',
      makeHistory(8, (_, index) => ((index * 7) % 5 < 2 ? [] : workingSlots), []),
      'quiet-by-habit',
    ],
    [
      'if a usually quiet night has a single recording',
      makeHistory(8, (weekday) => (weekday === 4 ? [] : workingSlots), [0]),
      'as-usual',
    ],
  ]
  it.each(notSilent)('%s', (_, nights, kind) => {
    expect(verdictAt(nights, 60)).toBe(kind)
  })

  it('if the PC was off when a recording should have come, because Sluice then knows nothing', () => {
    const nights = makeHistory(8, nightly, [])
    const withPcOff = nights.map((night, index) =>
      index === nights.length - 1 ? { ...night, watched: allWatched.map((_, slot) => slot >= 46) } : night,
    )
    expect(verdictAt(withPcOff, 60)).not.toBe('silent')
  })

  it('after a dismissal, for one night; after two in a row, until it records again', () => {
    const nights = makeHistory(8, nightly, [])
    const last = nights.length - 1
    const withDismissals = (which: readonly number[], empty: readonly number[]) =>
      nights.map((night, index) => ({
        ...night,
        ...(empty.includes(index) ? { counts: allWatched.map(() => 0), recorded: 0 } : {}),
        silenceMark: which.includes(index) ? ('dismissed' as const) : null,
      }))
    expect(verdictAt(withDismissals([last], []), 60)).toBe('dismissed')
    expect(verdictAt(withDismissals([last - 1], [last - 1]), 60)).toBe('silent')
    expect(verdictAt(withDismissals([last - 2, last - 1], [last - 2, last - 1]), 60)).toBe('dismissed')
    expect(verdictAt(withDismissals([last - 3, last - 2], [last - 3, last - 2]), 60)).toBe('silent')
  })
})

describe('the verdict, for any history', () => {
  const anyNight = fc.record({
    slots: fc.array(fc.integer({ min: 0, max: SLOTS - 1 }), { maxLength: 12 }),
    watched: fc.constantFrom('all', 'none', 'late'),
    silenceMark: fc.constantFrom(null, 'reported' as const, 'dismissed' as const),
  })
  const anyHistory = fc.array(anyNight, { minLength: 1, maxLength: 70 }).map((inputs) =>
    nightsUntil(NOW.getTime(), inputs.length).map(({ name }, index) => {
      const { slots = [], watched = 'all', silenceMark = null } = inputs[index] ?? {}
      const watchedSlots = allWatched.map(
        (_, slot) => slots.includes(slot) || watched === 'all' || (watched === 'late' && slot > 40),
      )
      return makeNight(name, slots, { watched: watchedSlots, silenceMark })
    }),
  )

  it('is never silent right after a recording, nor for an unwatched night', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 0, max: SLOTS }), (nights, slots) => {
        const last = nights.at(-1)
        if (last === undefined) return
        const nightWithRecording = makeNight(last.name, [Math.max(0, slots - 1)])
        const afterRecording = judgeSilence([...nights.slice(0, -1), nightWithRecording], slots)
        expect(afterRecording.kind).not.toBe('silent')
        const unwatched = makeNight(last.name, [], { watched: allWatched.map(() => false) })
        const withPcOff = judgeSilence([...nights.slice(0, -1), unwatched], slots)
        if (withPcOff.kind === 'silent') expect(withPcOff.night).not.toBe(last.name)
      }),
      { numRuns: 60 },
    )
  })

  it('stays silent while the night continues without recordings', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: SLOTS - 1 }), (nights, slots) => {
        const past = nights.slice(0, -1)
        const tonight = makeNight(nights.at(-1)?.name ?? '', [])
        if (judgeSilence([...past, tonight], slots).kind !== 'silent') return
        expect(judgeSilence([...past, tonight], Math.min(SLOTS, slots + 1)).kind).toBe('silent')
      }),
      { numRuns: 60 },
    )
  })
})

describe('a night', () => {
  it('begins at 18:00 local time, and every moment belongs to exactly one night', () => {
    expect(nightAt(new Date(2026, 2, 12, 17, 59).getTime()).name).toBe('2026-03-11')
    expect(nightAt(new Date(2026, 2, 12, 18, 0).getTime()).name).toBe('2026-03-12')
    const year = nightsUntil(new Date(2026, 11, 31, 20).getTime(), 365)
    year.forEach(({ name, endMs }, index) => {
      expect([name, endMs]).toEqual([name, year[index + 1]?.startMs ?? endMs])
      expect(nightNamed(name)).toEqual(year[index])
    })
    expect(nightNamed('2026-02-30')).toBeNull()
    expect(nightNamed('tonight')).toBeNull()
  })

  it('keeps the quarter hours of local time when the clocks change', () => {
    for (const day of [new Date(2026, 2, 28, 20), new Date(2026, 9, 24, 20), new Date(2026, 5, 1, 20)]) {
      const night = nightAt(day.getTime())
      const sevenInTheMorning = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 7).getTime()
      const filesByQuarter = new Map([[quarterOf(sevenInTheMorning), 3]])
      const record = nightRecordOf(night, { found: filesByQuarter, watched: new Set() }, null)
      expect(record.counts.indexOf(3)).toBe(13 * SLOTS_PER_HOUR)
      expect(record.recorded).toBe(3)
      expect((night.endMs - night.startMs) % QUARTER_MS).toBe(0)
    }
  })
})

describe('the words for a silent folder', () => {
  const judgeSilent = (nights: readonly NightRecord[], slots: number) => {
    const verdict = judgeSilence(nights, slots)
    if (verdict.kind !== 'silent') throw new Error(verdict.kind)
    return verdict
  }
  const context = {
    name: 'Hall 3',
    sinceMs: new Date(2026, 2, 12, 18).getTime(),
    nightStartMs: new Date(2026, 2, 12, 18).getTime(),
    nowMs: NOW.getTime(),
  }

  it('state the usual number, the start of the silence and the evidence', () => {
    const verdict = judgeSilent(makeHistory(8, nightly, []), 21)
    expect(silenceSentence(verdict, context)).toBe(
      'Hall 3 usually has 15 recordings by now; none since 18:00.',
    )
    expect(silenceBecause(verdict, context)).toBe(
      'In the last 8 Thursday nights it had 15 recordings by 23:15.',
    )
  })

  it('state the number of recordings before the folder stopped', () => {
    const verdict = judgeSilent(makeHistory(8, nightly, [6, 7]), 21)
    const stoppedContext = { ...context, sinceMs: new Date(2026, 2, 12, 19, 50).getTime() }
    expect(silenceSentence(verdict, stoppedContext)).toBe(
      'Hall 3 usually has 15 recordings by now; 2 so far, none since 19:50.',
    )
  })

  it('count nights if the folder records only on some nights', () => {
    const irregular = (_: number, index: number) => (index > 44 || index % 9 < 4 ? [] : workingSlots)
    const verdict = judgeSilent(makeHistory(8, irregular, []), 60)
    expect(silenceSentence(verdict, context)).toMatch(
      /^Hall 3 usually records on \d+ nights of \d+; no recording for \d+ nights\.$/,
    )
  })
})
