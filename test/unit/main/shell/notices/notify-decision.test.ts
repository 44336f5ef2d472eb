import { describe, expect, it } from 'vitest'
import { decideNotices, emptyMemory } from '../../../../../main/shell/notices/notify-decision.ts'
import type { ProblemCode } from '../../../../../shared/status/problem.ts'
import type { ProblemGroup, Status } from '../../../../../shared/status/status.ts'
import { aNight, aProblem, aSilentFolder, aStatus } from '../status-fixture.ts'
import { morning, night, noon, settings, subjectOf, subjectsFor, withQuietHours } from './notice-story.ts'

const group = (change: Partial<ProblemGroup> = {}): ProblemGroup => ({
  problem: aProblem(),
  count: 1,
  examples: [{ id: 9, name: 'a.mcap' }],
  ...change,
})
const withProblems = (...problems: ProblemGroup[]): Status => aStatus({ problems })

describe('notifications', () => {
  it('show a problem only once, even if the agent reports it again or for more recordings', () => {
    const oneMore = group({ count: 10_000, examples: [] })
    expect(
      subjectsFor([
        [withProblems(group()), noon],
        [withProblems(group()), noon],
        [withProblems(oneMore), noon],
      ]),
    ).toEqual([['a.mcap'], [], []])
  })

  it('show a silent folder once, but not in quiet hours, and only if the folder allows notifications', () => {
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

  it('show each recording that is not as expected only once', () => {
    const take = (id: number, name: string) => ({
      id,
      name,
      folder: '/rec',
      isHeld: false,
      willBeHeld: false,
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

  const aTake = (id: number) => ({
    id,
    name: `${id}.mcap`,
    folder: '/rec',
    isHeld: id === 2,
    willBeHeld: false,
    deviations: ['/imu is missing.'],
  })
  const takesStatus = (count: number, ...ids: number[]) =>
    aStatus({ takesToCheck: { count, held: 0, newest: ids.map(aTake) } })

  it('show that a held recording waits for a decision', () => {
    const [notice] = decideNotices(emptyMemory, takesStatus(1, 2), settings, noon).notices
    expect(notice?.body).toBe('/imu is missing. It waits for your decision.')
  })

  it('show a recording only once, even if it leaves the list of the newest recordings and returns', () => {
    expect(
      subjectsFor([
        [takesStatus(2, 2, 1), noon],
        [takesStatus(3, 3, 2), noon],
        [takesStatus(2, 2, 1), noon],
      ]),
    ).toEqual([['Check 2 recordings'], ['Check this recording: 3.mcap'], []])
  })

  it('play a sound once for each recording that is not as expected, if the setting is on, but not in quiet hours', () => {
    const withSound = { ...withQuietHours, sound_on_deviation: true, notify_attention: false }
    const first = decideNotices(emptyMemory, takesStatus(1, 1), withSound, noon)
    expect(first).toMatchObject({ hasSound: true, notices: [] })
    expect(decideNotices(first.memory, takesStatus(1, 1), withSound, noon).hasSound).toBe(false)
    expect(decideNotices(first.memory, takesStatus(2, 2, 1), withSound, noon).hasSound).toBe(true)
    expect(decideNotices(emptyMemory, takesStatus(1, 1), settings, noon).hasSound).toBe(false)
    const atNight = decideNotices(emptyMemory, takesStatus(1, 1), withSound, night)
    expect(atNight.hasSound).toBe(false)
    expect(decideNotices(atNight.memory, takesStatus(1, 1), withSound, morning).hasSound).toBe(true)
  })

  it('group simultaneous problems', () => {
    const other = group({ problem: aProblem({ code: 'disk-full' }), count: 4 })
    expect(subjectsFor([[withProblems(group(), other), noon]])).toEqual([['5 recordings need you']])
  })

  it('show a problem again if it cleared and came back', () => {
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

  it('show once that the station is still waiting, if problems that clear by themselves last an hour', () => {
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

  it('count the quiet hours as waiting time, but do not count the time of conditions that need attention', () => {
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

  it('show problems of the station and of a folder', () => {
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

  it('show nothing if the settings turn them off', () => {
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
