import { describe, expect, it } from 'vitest'
import {
  decideNotices,
  emptyMemory,
  isQuiet,
  type NotifyMemory,
} from '../../../../../main/shell/notices/notify-decision.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { ProblemCode, ProblemGroup, Status } from '../../../../../shared/status/status.ts'
import { aNight, aProblem, aSilentFolder, aStatus } from '../status-fixture.ts'

const settings = draftSettingsSchema.parse({}).app
const quiet = { ...settings, quiet_hours: { from: '22:00', to: '07:00' } }
const noon = new Date(2026, 2, 12, 12, 0)
const night = new Date(2026, 2, 12, 3, 0)
const morning = new Date(2026, 2, 12, 7, 30)

const group = (part: Partial<ProblemGroup> = {}): ProblemGroup => ({
  problem: aProblem(),
  count: 1,
  examples: [{ id: 9, name: 'a.mcap' }],
  ...part,
})
const withProblems = (...problems: ProblemGroup[]): Status => aStatus({ problems })

const { headline } = aStatus().station

/** What a notification is about: the start of its body, if its title is the headline. */
const subjectOf = ({ title, body }: { readonly title: string; readonly body: string }): string =>
  title === headline ? body.replace(/(?:: |\. |\.$).*/s, '') : title

/** Applies the states in order and returns the subjects of the notifications of each. */
const play = (story: readonly [Status, Date][], own = settings): readonly (readonly string[])[] => {
  let memory: NotifyMemory = emptyMemory
  return story.map(([status, now]) => {
    const decided = decideNotices(memory, status, own, now)
    memory = decided.memory
    return decided.notices.map(subjectOf)
  })
}

describe('notifications', () => {
  it('show a problem once, for any number of reports and recordings', () => {
    const more = group({ count: 10_000, examples: [] })
    expect(
      play([
        [withProblems(group()), noon],
        [withProblems(group()), noon],
        [withProblems(more), noon],
      ]),
    ).toEqual([['a.mcap'], [], []])
  })

  it('show a silent folder once, if its setting is loud, and not in quiet hours', () => {
    const folder = aSilentFolder('/rec/hall', 'Hall 3')
    const silent = aStatus({ folders: [folder] })
    expect(
      play([
        [silent, noon],
        [silent, noon],
        [aStatus(), noon],
        [silent, noon],
      ]),
    ).toEqual([['Hall 3 is silent'], [], [], ['Hall 3 is silent']])
    expect(
      play(
        [
          [silent, night],
          [silent, morning],
        ],
        quiet,
      ),
    ).toEqual([[], ['Hall 3 is silent']])
    const [notice] = decideNotices(emptyMemory, silent, settings, noon).notices
    expect(notice).toMatchObject({
      body: 'Hall 3 usually has 30 recordings by now; none since 18:00.',
      to: 'overview',
    })
    const two = aStatus({ folders: [folder, aSilentFolder('/rec/track', 'Test track')] })
    expect(play([[two, noon]])).toEqual([['2 folders are silent']])
    const gentle = folder.silence === null ? null : { ...folder.silence, loud: false }
    expect(play([[aStatus({ folders: [{ ...folder, silence: gentle }] }), noon]])).toEqual([[]])
    expect(play([[silent, noon]], { ...settings, notify_attention: false })).toEqual([[]])
  })

  it('show each recording that is not as expected once', () => {
    const take = (id: number, name: string) => ({
      id,
      name,
      folder: '/rec',
      deviations: ['/imu is missing.'],
    })
    const withTakes = (...newest: ReturnType<typeof take>[]) =>
      aStatus({ takesToCheck: { count: newest.length, newest } })
    const [first, second, third] = [take(1, 'a.mcap'), take(2, 'b.mcap'), take(3, 'c.mcap')]
    expect(
      play([
        [withTakes(first), noon],
        [withTakes(first), noon],
        [withTakes(second, first), noon],
      ]),
    ).toEqual([['Check this recording: a.mcap'], [], ['Check this recording: b.mcap']])
    const [notice] = decideNotices(emptyMemory, withTakes(first), settings, noon).notices
    expect(notice).toMatchObject({ body: '/imu is missing.', to: 'recordings/1' })
    expect(play([[withTakes(third, second), noon]])).toEqual([['Check 2 recordings']])
    expect(play([[withTakes(first), noon]], { ...settings, notify_attention: false })).toEqual([[]])
  })

  it('group simultaneous problems', () => {
    const other = group({ problem: aProblem({ code: 'disk-full' }), count: 4 })
    expect(play([[withProblems(group(), other), noon]])).toEqual([['5 recordings need you']])
  })

  it('show a problem again only after it had cleared', () => {
    expect(
      play([
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
    expect(play([[withProblems(selfClearing), noon]])).toEqual([[]])
  })

  it('show a refused key, although the station retries', () => {
    const refused = group({
      problem: aProblem({ code: 'key-refused', endsBy: 'key', nextAt: '2026-03-12T12:01:00Z' }),
      count: 0,
      examples: [],
    })
    expect(play([[withProblems(refused), noon]])).toEqual([['The file cannot be read']])
  })

  it('show once that the station waits, after a self-clearing problem lasted an hour', () => {
    const down = (code: ProblemCode) =>
      aStatus({ station: { conditions: [aProblem({ code, endsBy: 'time' })] } })
    const later = (minutes: number) => new Date(noon.getTime() + minutes * 60_000)
    // The cause changes meanwhile, and the period does not restart.
    const story: [Status, Date][] = [
      [down('service-unreachable'), noon],
      [down('service-error'), later(40)],
      [down('service-unreachable'), later(59)],
      [down('service-unreachable'), later(60)],
      [down('service-unreachable'), later(300)],
      [aStatus(), later(301)],
      [down('service-unreachable'), later(302)],
      [down('service-unreachable'), later(370)],
    ]
    const notice = ['Still waiting after 1 h']
    expect(play(story)).toEqual([[], [], [], notice, [], [], [], ['Still waiting after 1 h 8 min']])
    expect(play(story, { ...settings, notify_attention: false }).flat()).toEqual([])
  })

  it('count the hour during quiet hours, and do not repeat conditions that were shown at once', () => {
    const at = (hour: number) => new Date(2026, 2, 12, hour)
    const down = aStatus({ station: { conditions: [aProblem({ endsBy: 'time' })] } })
    const story = [3, 6, 7, 8].map((hour): [Status, Date] => [down, at(hour)])
    expect(play(story, quiet)).toEqual([[], [], ['Still waiting after 4 h'], []])
    const key = aStatus({ station: { conditions: [aProblem({ code: 'key-refused', endsBy: 'key' })] } })
    expect(play([3, 8].map((hour): [Status, Date] => [key, at(hour)])).flat()).toEqual([])
  })

  it('show each missing folder', () => {
    const gone = (folder: string) =>
      group({ problem: aProblem({ code: 'folder-offline' }), count: 0, examples: [], folder })
    expect(
      play([
        [withProblems(gone('/a')), noon],
        [withProblems(gone('/a'), gone('/b')), noon],
        [withProblems(gone('/a'), gone('/b')), noon],
      ]),
    ).toEqual([['/a'], ['/b'], []])
  })

  it('show problems of the station and of a folder without calling them a recording', () => {
    const refused = aProblem({ code: 'key-refused', sentence: 'The key is refused.' })
    const gone = aProblem({ code: 'folder-offline', sentence: 'The folder cannot be found.' })
    const shownFor = (part: Partial<ProblemGroup>) =>
      decideNotices(
        emptyMemory,
        withProblems(group({ count: 0, examples: [], ...part })),
        settings,
        noon,
      ).notices.map((notice) => ({ about: subjectOf(notice), to: notice.to }))
    expect(shownFor({ problem: refused })).toEqual([{ about: 'The key is refused', to: 'overview' }])
    expect(shownFor({ problem: gone, folder: '/mnt/rig' })).toEqual([{ about: '/mnt/rig', to: 'folders' }])
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

  it('open the recording, or all with the same problem', () => {
    const one = decideNotices(emptyMemory, withProblems(group()), settings, noon)
    expect(one.notices[0]?.to).toBe('recordings/9')
    const many = decideNotices(emptyMemory, withProblems(group({ count: 5 })), settings, noon)
    expect(many.notices[0]?.to).toBe('recordings?problem=file-unreadable')
  })

  it('wait for the end of the quiet hours, and then show only problems that still exist', () => {
    expect(
      play(
        [
          [withProblems(group()), night],
          [withProblems(group()), morning],
        ],
        quiet,
      ),
    ).toEqual([[], ['a.mcap']])
    expect(
      play(
        [
          [withProblems(group()), night],
          [withProblems(), morning],
        ],
        quiet,
      ),
    ).toEqual([[], []])
  })

  it('show once in the morning that the night is done', () => {
    const open = aStatus({ report: aNight({ safe: 27, waiting: 4 }) })
    const done = aStatus({ report: aNight({ safe: 31 }) })
    expect(
      play([
        [open, night],
        [done, night],
        [done, morning],
        [done, noon],
      ]),
    ).toEqual([[], [], ['The night’s recordings are done'], []])
  })

  it('show nothing about a night without recordings, or done before Sluice started', () => {
    const done = aStatus({ report: aNight({ safe: 31 }) })
    expect(play([[done, morning]])).toEqual([[]])
    expect(
      play([
        [aStatus(), night],
        [aStatus(), morning],
      ]),
    ).toEqual([[], []])
  })

  it('do not count recordings of the day as recordings of the night', () => {
    const idle = aStatus()
    const open = aStatus({ report: aNight({ waiting: 1 }) })
    const done = aStatus({ report: aNight({ safe: 1 }) })
    const more = aStatus({ report: aNight({ waiting: 1, safe: 1 }) })
    const morningWithout: [Status, Date][] = [
      [idle, night],
      [idle, morning],
      [open, noon],
      [done, noon],
    ]
    expect(play(morningWithout)).toEqual([[], [], [], []])
    const nightThenDay: [Status, Date][] = [
      [open, night],
      [done, morning],
      [more, noon],
      [aStatus({ report: aNight({ safe: 2 }) }), noon],
    ]
    expect(play(nightThenDay).flat()).toEqual(['The night’s recordings are done'])
    expect(
      play([
        [open, noon],
        [done, noon],
      ]),
    ).toEqual([[], []])
  })

  it('show that the night is done even if Sluice started in the morning', () => {
    const open = aStatus({ report: aNight({ waiting: 1, safe: 2 }) })
    const done = aStatus({ report: aNight({ safe: 3 }) })
    const story: [Status, Date][] = [
      [open, morning],
      [done, noon],
    ]
    expect(play(story).flat()).toEqual(['The night’s recordings are done'])
  })

  it.each([
    ['The recording is safe', aNight({ safe: 1 })],
    ['All 31 recordings are safe', aNight({ safe: 31 })],
    ['28 of 31 safe', aNight({ safe: 28, 'needs-attention': 3 })],
    ['29 of 31 safe · 2 dismissed', aNight({ safe: 29, dismissed: 2 })],
    ['0 of 31 safe · 31 at another service', aNight({ elsewhere: 31 })],
  ])('call only safe recordings safe: %s', (body, report) => {
    const story = (own: Status, now: Date, memory: NotifyMemory) =>
      decideNotices(memory, own, { ...settings, notify_attention: false }, now)
    const { memory } = story(aStatus({ report: aNight({ waiting: 31 }) }), night, emptyMemory)
    const done = aStatus({ report })
    expect(story(done, morning, memory).notices.map((notice) => notice.body)).toEqual([body])
  })

  it('show no all-clear while the files of a missing folder are unknown', () => {
    const problem = aProblem({ code: 'folder-offline' })
    const done = aStatus({
      report: aNight({ safe: 31 }),
      folders: [
        {
          ...aSilentFolder('/hall', 'Hall 3'),
          silence: null,
          problems: [{ problem, since: '2026-03-12T01:00:00.000Z', leftOut: [], leftOutCount: 0 }],
        },
      ],
    })
    const own = { ...settings, notify_attention: false }
    const { memory } = decideNotices(emptyMemory, aStatus({ report: aNight({ waiting: 31 }) }), quiet, night)
    const { notices } = decideNotices(memory, done, own, morning)
    expect(notices.map(({ body }) => body)).toEqual(['31 of 31 known recordings safe'])
  })

  it('show the end of the night only after the service has processed it', () => {
    const processing = aStatus({ report: aNight({ 'at-service': 3 }) })
    expect(
      play([
        [processing, night],
        [processing, morning],
        [aStatus({ report: aNight({ safe: 3 }) }), noon],
      ]),
    ).toEqual([[], [], ['The night’s recordings are done']])
  })

  it('show that the night is done if everything left needs attention', () => {
    const open = aStatus({ report: aNight({ safe: 19, waiting: 10, 'needs-attention': 2 }) })
    const passing = aStatus({ report: aNight({ safe: 29, uploading: 2 }) })
    const left = aStatus({ report: aNight({ safe: 29, 'needs-attention': 2 }) })
    const notice = ['The night’s recordings are done']
    expect(
      play([
        [open, night],
        [passing, morning],
        [left, morning],
      ]),
    ).toEqual([[], [], notice])
  })

  it('can be turned off one by one', () => {
    const off = { ...settings, notify_attention: false, notify_overnight_done: false }
    const open = aStatus({ report: aNight({ waiting: 1, safe: 2 }), problems: [group()] })
    const done = aStatus({ report: aNight({ safe: 3 }), problems: [group()] })
    expect(
      play(
        [
          [open, night],
          [done, morning],
        ],
        off,
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
  ])('from %s to %s at %i:00: %s', (from, to, hour, expected) => {
    expect(isQuiet({ from, to }, new Date(2026, 2, 12, hour, 0))).toBe(expected)
  })

  it('are off by default', () => {
    expect(isQuiet(undefined, night)).toBe(false)
  })
})
