import { describe, expect, it } from 'vitest'
import {
  decideNotices,
  emptyMemory,
  isQuiet,
  type NotifyMemory,
} from '../../../../../main/shell/notices/notify-decision.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { ProblemCode } from '../../../../../shared/status/problem.ts'
import type { ProblemGroup, Status } from '../../../../../shared/status/status.ts'
import { aNight, aProblem, aSilentFolder, aStatus } from '../status-fixture.ts'

const settings = draftSettingsSchema.parse({}).app
const withQuietHours = { ...settings, quiet_hours: { from: '22:00', to: '07:00' } }
const noon = new Date(2026, 2, 12, 12, 0)
const night = new Date(2026, 2, 12, 3, 0)
const morning = new Date(2026, 2, 12, 7, 30)

const group = (change: Partial<ProblemGroup> = {}): ProblemGroup => ({
  problem: aProblem(),
  count: 1,
  examples: [{ id: 9, name: 'a.mcap' }],
  ...change,
})
const withProblems = (...problems: ProblemGroup[]): Status => aStatus({ problems })

const { headline } = aStatus().station

/** The subject of a notification: the start of its body if the title is the headline, otherwise the title. */
const subjectOf = ({ title, body }: { readonly title: string; readonly body: string }): string =>
  title === headline ? body.replace(/(?:: |\. |\.$).*/s, '') : title

/** Applies the statuses in order, and returns the subjects of the notifications after each status. */
const subjectsFor = (
  story: readonly [Status, Date][],
  appSettings = settings,
): readonly (readonly string[])[] => {
  let memory: NotifyMemory = emptyMemory
  return story.map(([status, now]) => {
    const decision = decideNotices(memory, status, appSettings, now)
    memory = decision.memory
    return decision.notices.map(subjectOf)
  })
}

describe('notifications', () => {
  it('show a problem once, for any number of reports and recordings', () => {
    const oneMore = group({ count: 10_000, examples: [] })
    expect(
      subjectsFor([
        [withProblems(group()), noon],
        [withProblems(group()), noon],
        [withProblems(oneMore), noon],
      ]),
    ).toEqual([['a.mcap'], [], []])
  })

  it('show a silent folder once, if its setting allows notifications, and not in quiet hours', () => {
    const folder = aSilentFolder('/rec/hall', 'Hall 3')
    const silent = aStatus({ folders: [folder] })
    expect(
      subjectsFor([
        [silent, noon],
        [silent, noon],
        [aStatus(), noon],
        [silent, noon],
      ]),
    ).toEqual([['Hall 3 is silent'], [], [], ['Hall 3 is silent']])
    expect(
      subjectsFor(
        [
          [silent, night],
          [silent, morning],
        ],
        withQuietHours,
      ),
    ).toEqual([[], ['Hall 3 is silent']])
    const [notice] = decideNotices(emptyMemory, silent, settings, noon).notices
    expect(notice).toMatchObject({
      body: 'Hall 3 usually has 30 recordings by now; none since 18:00.',
      to: 'overview',
    })
    const twoSilent = aStatus({ folders: [folder, aSilentFolder('/rec/track', 'Test track')] })
    expect(subjectsFor([[twoSilent, noon]])).toEqual([['2 folders are silent']])
    const quietSilence = folder.silence === null ? null : { ...folder.silence, loud: false }
    expect(subjectsFor([[aStatus({ folders: [{ ...folder, silence: quietSilence }] }), noon]])).toEqual([[]])
    expect(subjectsFor([[silent, noon]], { ...settings, notify_attention: false })).toEqual([[]])
  })

  it('show each recording that is not as expected once', () => {
    const take = (id: number, name: string) => ({
      id,
      name,
      folder: '/rec',
      isHeld: false,
      deviations: ['/imu is missing.'],
    })
    const withTakes = (...newest: ReturnType<typeof take>[]) =>
      aStatus({ takesToCheck: { count: newest.length, held: 0, newest } })
    const [first, second, third] = [take(1, 'a.mcap'), take(2, 'b.mcap'), take(3, 'c.mcap')]
    expect(
      subjectsFor([
        [withTakes(first), noon],
        [withTakes(first), noon],
        [withTakes(second, first), noon],
      ]),
    ).toEqual([['Check this recording: a.mcap'], [], ['Check this recording: b.mcap']])
    const [notice] = decideNotices(emptyMemory, withTakes(first), settings, noon).notices
    expect(notice).toMatchObject({ body: '/imu is missing.', to: 'recordings/1' })
    expect(subjectsFor([[withTakes(third, second), noon]])).toEqual([['Check 2 recordings']])
    expect(subjectsFor([[withTakes(first), noon]], { ...settings, notify_attention: false })).toEqual([[]])
  })

  it('group simultaneous problems', () => {
    const other = group({ problem: aProblem({ code: 'disk-full' }), count: 4 })
    expect(subjectsFor([[withProblems(group(), other), noon]])).toEqual([['5 recordings need you']])
  })

  it('show a problem again only after it had cleared', () => {
    expect(
      subjectsFor([
        [withProblems(group()), noon],
        [withProblems(), noon],
        [withProblems(group()), noon],
      ]),
    ).toEqual([['a.mcap'], [], ['a.mcap']])
  })

  it('do not show problems that clear by themselves', () => {
    const selfClearing = group({
      problem: aProblem({ code: 'storage-busy', endsBy: 'time', nextAt: '2026-03-12T12:01:00Z' }),
    })
    expect(subjectsFor([[withProblems(selfClearing), noon]])).toEqual([[]])
  })

  it('show a refused key, although the station retries', () => {
    const refusedKey = group({
      problem: aProblem({ code: 'key-refused', endsBy: 'key', nextAt: '2026-03-12T12:01:00Z' }),
      count: 0,
      examples: [],
    })
    expect(subjectsFor([[withProblems(refusedKey), noon]])).toEqual([['The file cannot be read']])
  })

  it('show once that the station waits, after a self-clearing problem lasted an hour', () => {
    const waitingStatus = (code: ProblemCode) =>
      aStatus({ station: { conditions: [aProblem({ code, endsBy: 'time' })] } })
    const minutesLater = (minutes: number) => new Date(noon.getTime() + minutes * 60_000)
    // A different cause does not restart the hour.
    const story: [Status, Date][] = [
      [waitingStatus('service-unreachable'), noon],
      [waitingStatus('service-error'), minutesLater(40)],
      [waitingStatus('service-unreachable'), minutesLater(59)],
      [waitingStatus('service-unreachable'), minutesLater(60)],
      [waitingStatus('service-unreachable'), minutesLater(300)],
      [aStatus(), minutesLater(301)],
      [waitingStatus('service-unreachable'), minutesLater(302)],
      [waitingStatus('service-unreachable'), minutesLater(370)],
    ]
    const notice = ['Still waiting after 1 h']
    expect(subjectsFor(story)).toEqual([[], [], [], notice, [], [], [], ['Still waiting after 1 h 8 min']])
    expect(subjectsFor(story, { ...settings, notify_attention: false }).flat()).toEqual([])
  })

  it('count the quiet hours as waiting time, and do not repeat conditions that were shown at once', () => {
    const atHour = (hour: number) => new Date(2026, 2, 12, hour)
    const waitingStatus = aStatus({ station: { conditions: [aProblem({ endsBy: 'time' })] } })
    const story = [3, 6, 7, 8].map((hour): [Status, Date] => [waitingStatus, atHour(hour)])
    expect(subjectsFor(story, withQuietHours)).toEqual([[], [], ['Still waiting after 4 h'], []])
    const key = aStatus({ station: { conditions: [aProblem({ code: 'key-refused', endsBy: 'key' })] } })
    expect(subjectsFor([3, 8].map((hour): [Status, Date] => [key, atHour(hour)])).flat()).toEqual([])
  })

  it('show each missing folder', () => {
    const missingFolder = (folder: string) =>
      group({ problem: aProblem({ code: 'folder-offline' }), count: 0, examples: [], folder })
    expect(
      subjectsFor([
        [withProblems(missingFolder('/a')), noon],
        [withProblems(missingFolder('/a'), missingFolder('/b')), noon],
        [withProblems(missingFolder('/a'), missingFolder('/b')), noon],
      ]),
    ).toEqual([['/a'], ['/b'], []])
  })

  it('show problems of the station and of a folder without calling them a recording', () => {
    const refusedKey = aProblem({ code: 'key-refused', sentence: 'The key is refused.' })
    const missingFolder = aProblem({ code: 'folder-offline', sentence: 'The folder cannot be found.' })
    const noticesFor = (change: Partial<ProblemGroup>) =>
      decideNotices(
        emptyMemory,
        withProblems(group({ count: 0, examples: [], ...change })),
        settings,
        noon,
      ).notices.map((notice) => ({ about: subjectOf(notice), to: notice.to }))
    expect(noticesFor({ problem: refusedKey })).toEqual([{ about: 'The key is refused', to: 'overview' }])
    expect(noticesFor({ problem: missingFolder, folder: '/mnt/rig' })).toEqual([
      { about: '/mnt/rig', to: 'folders' },
    ])
  })

  it('have the headline of window and tray as their title', () => {
    const { station } = aStatus()
    const status = aStatus({
      station: { ...station, headline: 'You and your administrator must act' },
      problems: [group()],
    })
    expect(decideNotices(emptyMemory, status, settings, noon).notices).toEqual([
      {
        title: 'You and your administrator must act',
        body: 'a.mcap: The file cannot be read. Correct its rights.',
        to: 'recordings/9',
      },
    ])
  })

  it('open the recording, or all recordings with the same problem', () => {
    const oneRecording = decideNotices(emptyMemory, withProblems(group()), settings, noon)
    expect(oneRecording.notices[0]?.to).toBe('recordings/9')
    const manyRecordings = decideNotices(emptyMemory, withProblems(group({ count: 5 })), settings, noon)
    expect(manyRecordings.notices[0]?.to).toBe('recordings?problem=file-unreadable')
  })

  it('wait for the end of the quiet hours, and then show only problems that still exist', () => {
    expect(
      subjectsFor(
        [
          [withProblems(group()), night],
          [withProblems(group()), morning],
        ],
        withQuietHours,
      ),
    ).toEqual([[], ['a.mcap']])
    expect(
      subjectsFor(
        [
          [withProblems(group()), night],
          [withProblems(), morning],
        ],
        withQuietHours,
      ),
    ).toEqual([[], []])
  })

  it('show once in the morning that the night is done', () => {
    const unfinished = aStatus({ report: aNight({ safe: 27, waiting: 4 }) })
    const finished = aStatus({ report: aNight({ safe: 31 }) })
    expect(
      subjectsFor([
        [unfinished, night],
        [finished, night],
        [finished, morning],
        [finished, noon],
      ]),
    ).toEqual([[], [], ['The night’s recordings are done'], []])
  })

  it('show nothing about a night without recordings, or about one that was done before Sluice started', () => {
    const finished = aStatus({ report: aNight({ safe: 31 }) })
    expect(subjectsFor([[finished, morning]])).toEqual([[]])
    expect(
      subjectsFor([
        [aStatus(), night],
        [aStatus(), morning],
      ]),
    ).toEqual([[], []])
  })

  it('do not count recordings of the day as recordings of the night', () => {
    const idle = aStatus()
    const unfinished = aStatus({ report: aNight({ waiting: 1 }) })
    const finished = aStatus({ report: aNight({ safe: 1 }) })
    const oneMore = aStatus({ report: aNight({ waiting: 1, safe: 1 }) })
    const morningWithout: [Status, Date][] = [
      [idle, night],
      [idle, morning],
      [unfinished, noon],
      [finished, noon],
    ]
    expect(subjectsFor(morningWithout)).toEqual([[], [], [], []])
    const nightThenDay: [Status, Date][] = [
      [unfinished, night],
      [finished, morning],
      [oneMore, noon],
      [aStatus({ report: aNight({ safe: 2 }) }), noon],
    ]
    expect(subjectsFor(nightThenDay).flat()).toEqual(['The night’s recordings are done'])
    expect(
      subjectsFor([
        [unfinished, noon],
        [finished, noon],
      ]),
    ).toEqual([[], []])
  })

  it('show that the night is done even if Sluice started in the morning', () => {
    const unfinished = aStatus({ report: aNight({ waiting: 1, safe: 2 }) })
    const finished = aStatus({ report: aNight({ safe: 3 }) })
    const story: [Status, Date][] = [
      [unfinished, morning],
      [finished, noon],
    ]
    expect(subjectsFor(story).flat()).toEqual(['The night’s recordings are done'])
  })

  it.each([
    ['The recording is safe', aNight({ safe: 1 })],
    ['All 31 recordings are safe', aNight({ safe: 31 })],
    ['28 of 31 safe', aNight({ safe: 28, 'needs-attention': 3 })],
    ['29 of 31 safe · 2 dismissed', aNight({ safe: 29, dismissed: 2 })],
    ['0 of 31 safe · 31 at another service', aNight({ elsewhere: 31 })],
  ])('call only safe recordings safe: %s', (body, report) => {
    const story = (appSettings: Status, now: Date, memory: NotifyMemory) =>
      decideNotices(memory, appSettings, { ...settings, notify_attention: false }, now)
    const { memory } = story(aStatus({ report: aNight({ waiting: 31 }) }), night, emptyMemory)
    const finished = aStatus({ report })
    expect(story(finished, morning, memory).notices.map((notice) => notice.body)).toEqual([body])
  })

  it('do not report a night as safe while the files of a missing folder are unknown', () => {
    const problem = aProblem({ code: 'folder-offline' })
    const finished = aStatus({
      report: aNight({ safe: 31 }),
      folders: [
        {
          ...aSilentFolder('/hall', 'Hall 3'),
          silence: null,
          problems: [{ problem, since: '2026-03-12T01:00:00.000Z', leftOut: [], leftOutCount: 0 }],
        },
      ],
    })
    const appSettings = { ...settings, notify_attention: false }
    const { memory } = decideNotices(
      emptyMemory,
      aStatus({ report: aNight({ waiting: 31 }) }),
      withQuietHours,
      night,
    )
    const { notices } = decideNotices(memory, finished, appSettings, morning)
    expect(notices.map(({ body }) => body)).toEqual(['31 of 31 known recordings safe'])
  })

  it('show that the night is done only after the service has processed its recordings', () => {
    const processing = aStatus({ report: aNight({ 'at-service': 3 }) })
    expect(
      subjectsFor([
        [processing, night],
        [processing, morning],
        [aStatus({ report: aNight({ safe: 3 }) }), noon],
      ]),
    ).toEqual([[], [], ['The night’s recordings are done']])
  })

  it('show that the night is done if all remaining recordings need attention', () => {
    const unfinished = aStatus({ report: aNight({ safe: 19, waiting: 10, 'needs-attention': 2 }) })
    const uploading = aStatus({ report: aNight({ safe: 29, uploading: 2 }) })
    const needingAttention = aStatus({ report: aNight({ safe: 29, 'needs-attention': 2 }) })
    const notice = ['The night’s recordings are done']
    expect(
      subjectsFor([
        [unfinished, night],
        [uploading, morning],
        [needingAttention, morning],
      ]),
    ).toEqual([[], [], notice])
  })

  it('can be turned off one by one', () => {
    const allOff = { ...settings, notify_attention: false, notify_overnight_done: false }
    const unfinished = aStatus({ report: aNight({ waiting: 1, safe: 2 }), problems: [group()] })
    const finished = aStatus({ report: aNight({ safe: 3 }), problems: [group()] })
    expect(
      subjectsFor(
        [
          [unfinished, night],
          [finished, morning],
        ],
        allOff,
      ),
    ).toEqual([[], []])
  })
})

describe('quiet hours', () => {
  it.each([
    ['22:00', '07:00', 23, true],
    ['22:00', '07:00', 3, true],
    ['22:00', '07:00', 7, false],
    ['22:00', '07:00', 12, false],
    ['12:00', '13:00', 12, true],
    ['12:00', '13:00', 13, false],
    ['12:00', '24:00', 23, true],
  ])('from %s to %s apply at %i:00: %s', (from, to, hour, expected) => {
    expect(isQuiet({ from, to }, new Date(2026, 2, 12, hour, 0))).toBe(expected)
  })

  it('are off by default', () => {
    expect(isQuiet(undefined, night)).toBe(false)
  })
})
