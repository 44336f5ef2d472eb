import { describe, expect, test } from 'vitest'
import { fillingOf, isLow, type SpaceInput } from '../../../../../main/agent/domain/low-space.ts'
import { type RecordedHour, usualRecording } from '../../../../../main/agent/domain/usual-recording.ts'
import { SpaceWatch } from '../../../../../main/agent/outlook/space-watch.ts'
import type { Drive } from '../../../../../main/agent/ports/folders.ts'

const GB = 1_000_000_000
/** A Friday. */
const nowMs = new Date(2026, 10, 13, 20).getTime()
const msAt = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime()

/** 10 GB in each hour from 18:00 to 22:00, on the weekdays that `isIncluded` accepts. */
const evenings = (isIncluded: (weekday: number) => boolean, days = 21): RecordedHour[] =>
  Array.from({ length: days }, (_, daysAgo) => msAt(12 - daysAgo, 0))
    .filter((startMs) => isIncluded(new Date(startMs).getDay()))
    .flatMap((startMs) =>
      [18, 19, 20, 21].map((hour) => ({ atMs: new Date(startMs).setHours(hour), bytes: 10 * GB })),
    )

const input = (change: Partial<SpaceInput>): SpaceInput => ({
  nowMs,
  freeBytes: 100 * GB,
  usual: usualRecording(
    evenings(() => true),
    msAt(12 - 25, 0),
    nowMs,
  ),
  tonight: { bytes: 20 * GB, usualBytes: 20 * GB },
  ...change,
})

describe('the forecast of a full drive', () => {
  test('gives the time tonight at which the usual recordings fill the drive', () => {
    expect(fillingOf(input({ freeBytes: 15 * GB }))).toEqual({
      kind: 'tonight',
      at: new Date(2026, 10, 13, 21, 30).toISOString(),
    })
  })

  test('gives the number of nights until the drive is full, including tonight', () => {
    // 20 GB are still to come tonight, and 40 GB in each later night.
    expect(fillingOf(input({ freeBytes: 21 * GB }))).toEqual({ kind: 'nights', nights: 2 })
    expect(fillingOf(input({ freeBytes: 101 * GB }))).toEqual({ kind: 'nights', nights: 4 })
  })

  test('is sooner in a night that is busier than usual', () => {
    const busy = { bytes: 80 * GB, usualBytes: 20 * GB }
    expect(fillingOf(input({ freeBytes: 21 * GB, tonight: busy })).kind).toBe('tonight')
  })

  test('expects no recordings on weekends that were always quiet', () => {
    const usual = usualRecording(
      evenings((weekday) => weekday >= 1 && weekday <= 5),
      msAt(12 - 25, 0),
      nowMs,
    )
    // 20 GB are still to come on Friday; the next 40 GB come on Monday.
    expect(fillingOf(input({ freeBytes: 30 * GB, usual }))).toEqual({ kind: 'nights', nights: 4 })
  })

  test('does not count one hour with many old recordings as usual', () => {
    const withOldFind = [...evenings(() => true), { atMs: msAt(5, 9), bytes: 50_000 * GB }]
    const usual = usualRecording(withOldFind, msAt(12 - 25, 0), nowMs)
    expect(usual?.bytesPerDay).toBeLessThan(41 * GB)
  })

  test('is unknown without data, and distinguishes a drive that never fills from one that fills late', () => {
    expect(
      usualRecording(
        evenings(() => true, 1),
        msAt(12, 18),
        nowMs,
      ),
    ).toBeNull()
    expect(fillingOf(input({ usual: null }))).toEqual({ kind: 'unknown' })
    expect(fillingOf(input({ usual: usualRecording([], msAt(1, 0), nowMs) }))).toEqual({ kind: 'never' })
    expect(fillingOf(input({ freeBytes: 90_000 * GB }))).toEqual({ kind: 'long' })
  })

  test('counts free space as low if it will not last until the next noon, or is nearly used up', () => {
    const tonight = fillingOf(input({ freeBytes: 15 * GB }))
    expect(isLow({ totalBytes: 100 * GB, freeBytes: 15 * GB }, tonight)).toBe(true)
    expect(isLow({ totalBytes: 4_000 * GB, freeBytes: 15 * GB }, { kind: 'never' })).toBe(true)
    expect(isLow({ totalBytes: 4_000 * GB, freeBytes: 90 * GB }, { kind: 'never' })).toBe(false)
  })
})

describe('the watch of the free space', () => {
  const drive = (device: string): Drive => ({ device, name: `/${device}`, totalBytes: 100, freeBytes: 40 })
  const neverAnswers = new Promise<never>(() => undefined)
  const clock = { monotonicMs: () => 0 }

  test('queries a hung drive only once, and delays no other drive', async () => {
    const queried: string[] = []
    const watch = new SpaceWatch({
      drives: {
        of: (folder) => {
          queried.push(folder)
          return folder.startsWith('/share') ? neverAnswers : Promise.resolve(drive('disk'))
        },
      },
      clock,
      folders: () => ['/share/a', '/share/b', '/disk/a', '/disk/b'],
      deviceOf: (folder) => folder.slice(1, -2),
      timeoutMs: 1,
    })
    await watch.poll()
    await watch.poll()
    expect(queried.filter((folder) => folder.startsWith('/share'))).toHaveLength(1)
    expect(watch.watched()).toEqual([
      { folders: ['/share/a', '/share/b'], drive: null, answering: false },
      { folders: ['/disk/a', '/disk/b'], drive: drive('disk'), answering: true },
    ])
  })

  test('keeps the last value of a drive that does not answer, and accepts its late answer', async () => {
    let answer: (drive: Drive) => void = () => undefined
    const answers = [Promise.resolve(drive('one')), new Promise<Drive>((resolve) => (answer = resolve))]
    const watch = new SpaceWatch({
      drives: { of: () => answers.shift() ?? neverAnswers },
      clock,
      folders: () => ['/one'],
      deviceOf: () => null,
      timeoutMs: 1,
    })
    await watch.poll()
    await watch.poll()
    expect(watch.watched()).toEqual([{ folders: ['/one'], drive: drive('one'), answering: false }])
    answer({ ...drive('one'), freeBytes: 7 })
    await expect.poll(() => watch.watched()[0]).toMatchObject({ answering: true, drive: { freeBytes: 7 } })
  })

  test('queries no third drive while two hang, so that threads stay free for reading recordings', async () => {
    const queried: string[] = []
    const watch = new SpaceWatch({
      drives: {
        of: (folder) => {
          queried.push(folder)
          return neverAnswers
        },
      },
      clock,
      folders: () => ['/a', '/b', '/c'],
      deviceOf: () => null,
      timeoutMs: 1,
    })
    await watch.poll()
    expect(queried).toEqual(['/a', '/b'])
  })

  test('shows no drive for a missing folder', async () => {
    const watch = new SpaceWatch({
      drives: { of: () => Promise.resolve(null) },
      clock,
      folders: () => ['/gone'],
      deviceOf: () => null,
    })
    await watch.poll()
    expect(watch.watched()).toEqual([])
  })

  test('queries the drives once a minute, and immediately for a new folder', async () => {
    let nowMonoMs = 0
    let queried = 0
    let folders = ['/a']
    const watch = new SpaceWatch({
      drives: {
        of: (folder) => {
          queried += 1
          return Promise.resolve(drive(folder))
        },
      },
      clock: { monotonicMs: () => nowMonoMs },
      folders: () => folders,
      deviceOf: () => null,
    })
    expect(watch.tick()).toBe(true)
    await expect.poll(() => watch.watched()).toHaveLength(1)
    nowMonoMs = 59_000
    expect(watch.tick()).toBe(false)
    expect(queried).toBe(1)
    folders = ['/a', '/b']
    await expect.poll(() => watch.tick()).toBe(true)
    await expect.poll(() => watch.watched()).toHaveLength(2)
    nowMonoMs = 120_000
    await expect.poll(() => watch.tick()).toBe(true)
  })
})
