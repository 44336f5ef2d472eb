import { describe, expect, it } from 'vitest'
import {
  attentionItems,
  canTryNow,
  leadItem,
  mayClearSoon,
} from '../../../../../renderer/features/overview/attention.ts'
import type { ProblemCode } from '../../../../../shared/status/problem.ts'
import type { EndsBy, ProblemOwner } from '../../../../../shared/status/problem-terms.ts'
import type { ProblemGroup } from '../../../../../shared/status/status.ts'
import { aProblem, aSilentFolder, aStatus } from '../../../main/shell/status-fixture.ts'

type GroupChange = Partial<ProblemGroup> & { readonly owner?: ProblemOwner }

const group = (
  code: ProblemCode,
  endsBy: EndsBy,
  { owner = 'admin', ...change }: GroupChange = {},
): ProblemGroup => ({
  problem: aProblem({ code, endsBy, owner }),
  count: 0,
  examples: [],
  ...change,
})

const listsFor = (conditions: readonly ProblemGroup[], problems: readonly ProblemGroup[]) => {
  const { needed, temporary, folded } = attentionItems(
    aStatus({ problems, station: { conditions: conditions.map(({ problem }) => problem) } }),
  )
  const words = (items: typeof needed) =>
    items.map((item) =>
      item.kind !== 'problem'
        ? [item.kind]
        : [`${item.group.problem.code} ${item.group.folder ?? ''}`.trim(), item.group.count],
    )
  return { needed: words(needed), temporary: words(temporary), folded: words(folded) }
}

const key = group('key-refused', 'key')
const storage = group('storage-unreachable', 'time')

describe('the list of problems', () => {
  it('shows each condition of the station once, even if a problem group has the same code', () => {
    const expectedLists = {
      needed: [['key-refused', 0]],
      temporary: [['storage-unreachable', 0]],
      folded: [],
    }
    expect(listsFor([key, storage], [])).toEqual(expectedLists)
    expect(listsFor([key, storage], [storage, key])).toEqual(expectedLists)
  })

  it('counts recordings on hold in the card of their condition, but gives a folder its own card', () => {
    const folder = group('disk-full', 'file', { folder: '/a' })
    const onHold = group('storage-unreachable', 'time', { count: 3 })
    expect(listsFor([storage, group('disk-full', 'file')], [folder, onHold])).toEqual({
      needed: [
        ['disk-full', 0],
        ['disk-full /a', 0],
      ],
      temporary: [['storage-unreachable', 3]],
      folded: [],
    })
  })

  it('shows a pause only if there are problems that are not collapsed', () => {
    const showsPause = (paused: boolean, conditions: readonly ProblemGroup[], problems = conditions) =>
      attentionItems(
        aStatus({ problems, station: { paused, conditions: conditions.map(({ problem }) => problem) } }),
      ).showsPause
    expect(showsPause(true, [])).toBe(false)
    expect(showsPause(true, [], [group('file-busy', 'time', { count: 1 })])).toBe(false)
    expect(showsPause(true, [key])).toBe(true)
    expect(showsPause(true, [storage])).toBe(true)
    expect(showsPause(true, [], [group('folder-offline', 'file', { folder: '/a' })])).toBe(true)
    expect(showsPause(false, [key])).toBe(false)
  })

  it('leads with the first card for the technician, but never with a silent folder', () => {
    const empty = group('empty-file', 'file', { count: 1, owner: 'technician' })
    const leadOf = (
      problems: readonly ProblemGroup[],
      folders: Parameters<typeof attentionItems>[0]['folders'] = [],
    ) => {
      const lead = leadItem(attentionItems({ ...aStatus({ problems }), folders }).needed)
      return lead?.kind === 'problem' ? lead.group.problem.code : lead
    }
    expect(leadOf([key, empty])).toBe('empty-file')
    expect(leadOf([key])).toBeUndefined()
    expect(leadOf([key, empty], [aSilentFolder('/hall', 'Hall 3')])).toBe('empty-file')
    expect(leadOf([])).toBeUndefined()
  })

  it('does not ask for help in the first ten minutes of a problem that clears by itself, unless it is for support', () => {
    const since = '2026-03-09T08:00:00Z'
    const at = (minutes: number) => Date.parse(since) + minutes * 60_000
    const offline = { owner: 'technician', endsBy: 'time' } as const
    expect(mayClearSoon(offline, since, at(9))).toBe(true)
    expect(mayClearSoon(offline, since, at(10))).toBe(false)
    expect(mayClearSoon(offline, null, at(9))).toBe(false)
    expect(mayClearSoon({ ...offline, endsBy: 'key' }, since, at(9))).toBe(false)
    expect(mayClearSoon({ ...offline, owner: 'service' }, since, at(9))).toBe(false)
  })

  it('lists the cards for the technician first, then for the administrator, then for support', () => {
    const support = group('processing-failed', 'person', { count: 9, owner: 'service' })
    const site = group('site-refused', 'settings', { count: 5 })
    const empty = group('empty-file', 'file', { count: 1, owner: 'technician' })
    expect(listsFor([key], [support, site, empty]).needed).toEqual([
      ['empty-file', 1],
      ['key-refused', 0],
      ['site-refused', 5],
      ['processing-failed', 9],
    ])
  })

  it('collapses problems that clear by themselves, except conditions of the station', () => {
    const busy = group('file-busy', 'time', { count: 2 })
    expect(listsFor([storage], [busy])).toEqual({
      needed: [],
      temporary: [['storage-unreachable', 0]],
      folded: [['file-busy', 2]],
    })
  })

  it('includes recordings that are not as expected, before silent folders', () => {
    const take = {
      id: 7,
      name: 'run.mcap',
      folder: '/hall',
      isHeld: false,
      willBeHeld: false,
      deviations: ['/imu is missing.'],
    }
    const status = aStatus({
      problems: [key],
      folders: [aSilentFolder('/hall', 'Hall 3')],
      takesToCheck: { count: 1, held: 0, newest: [take] },
    })
    expect(attentionItems(status).needed.map(({ kind }) => kind)).toEqual(['take', 'silence', 'problem'])
  })

  it('includes silent folders as cards for the technician', () => {
    const status = aStatus({ problems: [key], folders: [aSilentFolder('/hall', 'Hall 3')] })
    expect(attentionItems(status).needed.map(({ kind }) => kind)).toEqual(['silence', 'problem'])
  })
})

describe('“Try now”', () => {
  it.each([
    ['service-unreachable', true],
    ['network-missing', true],
    ['storage-unreachable', true],
    ['proxy-sign-in', true],
    ['rate-limited', false],
    ['key-missing', false],
    ['on-battery', false],
    ['site-refused', false],
  ])('is offered for %s: %s', (code, offered) => {
    expect(canTryNow(code)).toBe(offered)
  })
})
