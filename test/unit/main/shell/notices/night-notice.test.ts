import { describe, expect, it } from 'vitest'
import {
  decideNotices,
  emptyMemory,
  type NotifyMemory,
} from '../../../../../main/shell/notices/notify-decision.ts'
import type { Status } from '../../../../../shared/status/status.ts'
import { aNight, aProblem, aSilentFolder, aStatus } from '../status-fixture.ts'
import { morning, night, noon, settings, subjectsFor, withQuietHours } from './notice-story.ts'

describe('notifications', () => {
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

  it('show nothing if the night has no recordings, or was done before Sluice started', () => {
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
    const decide = (status: Status, now: Date, memory: NotifyMemory) =>
      decideNotices(memory, status, { ...settings, notify_attention: false }, now)
    const { memory } = decide(aStatus({ report: aNight({ waiting: 31 }) }), night, emptyMemory)
    const finished = aStatus({ report })
    expect(decide(finished, morning, memory).notices.map((notice) => notice.body)).toEqual([body])
  })

  it('do not call all recordings safe while a folder is missing', () => {
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
})
