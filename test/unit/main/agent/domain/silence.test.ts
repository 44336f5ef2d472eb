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
const HOUR = 4

type Shape = Partial<Pick<NightRecord, 'watched' | 'silenceMark'>>

const always = Array.from({ length: SLOTS }, () => true)

const aNight = (name: string, slots: readonly number[], shape: Shape = {}): NightRecord => {
  const counts = Array.from({ length: SLOTS }, (_, slot) => slots.filter((one) => one === slot).length)
  const weekday = new Date(nightNamed(name)?.startMs ?? 0).getDay()
  return { name, weekday, counts, watched: always, recorded: slots.length, silenceMark: null, ...shape }
}

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, index) => from + index * step)

/** Some usual weeks, then tonight as given. `usual` gets the weekday; 0 is Sunday. */
const station = (
  weeks: number,
  usual: (weekday: number, index: number) => readonly number[],
  tonight: readonly number[],
  shape: (weekday: number, index: number) => Shape = () => ({}),
): readonly NightRecord[] => {
  const nights = nightsUntil(NOW.getTime(), weeks * 7 + 1)
  return nights.map(({ name, startMs }, index) => {
    const weekday = new Date(startMs).getDay()
    return index === nights.length - 1
      ? aNight(name, tonight)
      : aNight(name, usual(weekday, index), shape(weekday, index))
  })
}

/** One recording each quarter of an hour, from 19:30 to 05:30. */
const working = every(6, 46)
const nightly = () => working
const kindAt = (nights: readonly NightRecord[], slots: number) => judgeSilence(nights, slots).kind

describe('a silent folder', () => {
  it('is reported half an hour after its nightly recorder should have begun', () => {
    const nights = station(8, nightly, [])
    expect(kindAt(nights, 6)).toBe('as-usual')
    expect(judgeSilence(nights, 9)).toMatchObject({ kind: 'silent', how: 'not-begun', tonight: 0 })
  })

  it('is reported if it stops in the middle of the night, but not for a short pause', () => {
    const nights = station(8, nightly, every(6, 20))
    expect(kindAt(nights, 22)).toBe('as-usual')
    expect(judgeSilence(nights, 20 + 2 * HOUR)).toMatchObject({ kind: 'silent', how: 'stopped', tonight: 14 })
  })

  it('is not reported while it records as usual, nor after its usual end', () => {
    for (const slots of [0, 10, 30, 46, 60, 95])
      expect(
        kindAt(
          station(
            8,
            nightly,
            working.filter((slot) => slot < slots),
          ),
          slots,
        ),
      ).toBe('as-usual')
  })

  it('is judged by the nights of its season, not by months without recordings', () => {
    const season = (_: number, index: number) => (index < 45 ? [] : working)
    expect(kindAt(station(8, season, []), 60)).toBe('silent')
  })

  it('stays silent night after night, even over a quiet weekend', () => {
    const weekdays = (weekday: number) => (weekday === 5 || weekday === 6 ? [] : working)
    const dead = (nightsAgo: number) => {
      const all = station(9, weekdays, [])
      return all.map((night, index) => (index > all.length - 1 - nightsAgo ? aNight(night.name, []) : night))
    }
    for (const nights of [1, 2, 4, 8, 20])
      expect([nights, kindAt(dead(nights), 60)]).toEqual([nights, 'silent'])
  })

  it('is reported once a recorder of every second night has stayed away for long', () => {
    const irregular = (_: number, index: number) => (index > 44 || index % 9 < 4 ? [] : working)
    expect(kindAt(station(8, irregular, []), 60)).toBe('silent')
    const stoppedRecently = (_: number, index: number) => (index > 53 || index % 9 < 4 ? [] : working)
    expect(kindAt(station(8, stoppedRecently, []), 60)).not.toBe('silent')
  })
})

describe('a folder is not silent', () => {
  const notSilent: readonly (readonly [string, readonly NightRecord[], SilenceVerdict['kind']])[] = [
    [
      'a folder just added',
      station(
        8,
        (_, index) => (index < 52 ? [] : working),
        [],
        (_, index) => (index < 52 ? { watched: always.map(() => false) } : {}),
      ),
      'unknown',
    ],
    ['nothing was ever recorded', station(8, () => [], []), 'unknown'],
    [
      'a day of the week that was always quiet',
      station(8, (weekday) => (weekday === 4 || weekday === 6 ? [] : working), []),
      'quiet-by-habit',
    ],
    [
      'a recorder without regular times',
      station(8, (_, index) => ((index * 7) % 5 < 2 ? [] : working), []),
      'quiet-by-habit',
    ],
    [
      'a single recording in a usually quiet night',
      station(8, (weekday) => (weekday === 4 ? [] : working), [0]),
      'as-usual',
    ],
  ]
  it.each(notSilent)('%s', (_, nights, kind) => {
    expect(kindAt(nights, 60)).toBe(kind)
  })

  it('if the PC was off when a recording should have come, because nothing is known', () => {
    const nights = station(8, nightly, [])
    const off = nights.map((night, index) =>
      index === nights.length - 1 ? { ...night, watched: always.map((_, slot) => slot >= 46) } : night,
    )
    expect(kindAt(off, 60)).not.toBe('silent')
  })

  it('after nights with the PC off, which do not count as usual', () => {
    const shape = (_: number, index: number) => (index % 3 === 0 ? { watched: always.map(() => false) } : {})
    const nights = station(8, (_, index) => (index % 3 === 0 ? [] : working), [], shape)
    expect(kindAt(nights, 60)).toBe('silent')
  })

  it('if the user dismissed it: for this night, or after a second dismissal until it records again', () => {
    const nights = station(8, nightly, [])
    const last = nights.length - 1
    const withDismissals = (which: readonly number[], empty: readonly number[]) =>
      nights.map((night, index) => ({
        ...night,
        ...(empty.includes(index) ? { counts: always.map(() => 0), recorded: 0 } : {}),
        silenceMark: which.includes(index) ? ('dismissed' as const) : null,
      }))
    expect(kindAt(withDismissals([last], []), 60)).toBe('dismissed')
    expect(kindAt(withDismissals([last - 1], [last - 1]), 60)).toBe('silent')
    expect(kindAt(withDismissals([last - 2, last - 1], [last - 2, last - 1]), 60)).toBe('dismissed')
    expect(kindAt(withDismissals([last - 3, last - 2], [last - 3, last - 2]), 60)).toBe('silent')
  })
})

describe('for any history', () => {
  const anyNight = fc.record({
    slots: fc.array(fc.integer({ min: 0, max: SLOTS - 1 }), { maxLength: 12 }),
    watched: fc.constantFrom('all', 'none', 'late'),
    silenceMark: fc.constantFrom(null, 'reported' as const, 'dismissed' as const),
  })
  const anyHistory = fc.array(anyNight, { minLength: 1, maxLength: 70 }).map((given) =>
    nightsUntil(NOW.getTime(), given.length).map(({ name }, index) => {
      const { slots = [], watched = 'all', silenceMark = null } = given[index] ?? {}
      const seen = always.map(
        (_, slot) => slots.includes(slot) || watched === 'all' || (watched === 'late' && slot > 40),
      )
      return aNight(name, slots, { watched: seen, silenceMark })
    }),
  )

  it('nothing is silent in a quarter hour with a recording, nor in an unwatched night', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 0, max: SLOTS }), (nights, slots) => {
        const last = nights.at(-1)
        if (last === undefined) return
        const fresh = aNight(last.name, [Math.max(0, slots - 1)])
        const afterRecording = judgeSilence([...nights.slice(0, -1), fresh], slots)
        expect(afterRecording.kind).not.toBe('silent')
        const unwatched = aNight(last.name, [], { watched: always.map(() => false) })
        const off = judgeSilence([...nights.slice(0, -1), unwatched], slots)
        if (off.kind === 'silent') expect(off.night).not.toBe(last.name)
      }),
      { numRuns: 60 },
    )
  })

  it('a silent folder stays silent as the night goes on without recordings', () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: SLOTS - 1 }), (nights, slots) => {
        const past = nights.slice(0, -1)
        const tonight = aNight(nights.at(-1)?.name ?? '', [])
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

  it('keeps the quarter hours of the clock when the clocks change', () => {
    for (const day of [new Date(2026, 2, 28, 20), new Date(2026, 9, 24, 20), new Date(2026, 5, 1, 20)]) {
      const night = nightAt(day.getTime())
      const sevenInTheMorning = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, 7).getTime()
      const found = new Map([[quarterOf(sevenInTheMorning), 3]])
      const record = nightRecordOf(night, { found, watched: new Set() }, null)
      expect(record.counts.indexOf(3)).toBe(13 * HOUR)
      expect(record.recorded).toBe(3)
      expect((night.endMs - night.startMs) % QUARTER_MS).toBe(0)
    }
  })
})

describe('the words', () => {
  const silent = (nights: readonly NightRecord[], slots: number) => {
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
    const verdict = silent(station(8, nightly, []), 21)
    expect(silenceSentence(verdict, context)).toBe(
      'Hall 3 usually has 15 recordings by now; none since 18:00.',
    )
    expect(silenceBecause(verdict, context)).toBe(
      'In the last 8 Thursday nights it had 15 recordings by 23:15.',
    )
  })

  it('state the number of recordings before it stopped', () => {
    const verdict = silent(station(8, nightly, [6, 7]), 21)
    const stopped = { ...context, sinceMs: new Date(2026, 2, 12, 19, 50).getTime() }
    expect(silenceSentence(verdict, stopped)).toBe(
      'Hall 3 usually has 15 recordings by now; 2 so far, none since 19:50.',
    )
  })

  it('count nights for a folder that records only now and then', () => {
    const irregular = (_: number, index: number) => (index > 44 || index % 9 < 4 ? [] : working)
    const verdict = silent(station(8, irregular, []), 60)
    expect(silenceSentence(verdict, context)).toMatch(
      /^Hall 3 usually records on \d+ nights of \d+; none for \d+ nights\.$/,
    )
  })
})
