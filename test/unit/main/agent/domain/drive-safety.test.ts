import { expect, test } from 'vitest'
import { driveSafety } from '../../../../../main/agent/domain/drive-safety.ts'
import { problemOf } from '../../../../../main/agent/domain/problems.ts'
import { type Standing, standings } from '../../../../../shared/status/standing.ts'
import { unplugDetail, unplugTitle } from '../../../../../shared/words/unplug-words.ts'

const countsWith = (nonZero: Partial<Record<Standing, number>>) =>
  ({ ...Object.fromEntries(standings.map((standing) => [standing, 0])), ...nonZero }) as Record<
    Standing,
    number
  >

const watched = { path: '/media/op/CARD-04/takes', state: 'watching', problems: [] } as const
const card = { drive: '/media/op/CARD-04', folders: [watched], files: [38] }
const wordsFor = (facts: Parameters<typeof driveSafety>[0]) => {
  const safety = driveSafety(facts)
  return [unplugTitle(safety), unplugDetail(safety)]
}

test('a card is safe to unplug once all its files are processed', () => {
  const safety = driveSafety({ ...card, standings: countsWith({ safe: 38 }) })
  expect(safety).toMatchObject({ name: 'CARD-04', removable: true, safeToUnplug: true, reasons: [] })
  expect(wordsFor({ ...card, standings: countsWith({ safe: 38 }) })).toEqual([
    'CARD-04 safe to unplug',
    'all 38 files processed',
  ])
})

test.each<[string, Partial<Record<Standing, number>>]>([
  [
    '1 needs attention · 2 uploading · 3 waiting',
    { safe: 32, 'needs-attention': 1, uploading: 2, waiting: 3 },
  ],
  ['1 recording not finished', { recording: 1 }],
  ['4 being processed', { 'at-service': 4 }],
  ['1 at another service', { elsewhere: 1 }],
])('a card is not safe to unplug because of: %s', (detail, nonZero) => {
  expect(wordsFor({ ...card, standings: countsWith(nonZero) })).toEqual([
    'CARD-04 not safe to unplug',
    detail,
  ])
})

test('a card is not safe to unplug while Sluice scans its folder, cannot reach it, or leaves out files', () => {
  const problem = { problem: problemOf('file-name-not-text'), since: '', leftOut: ['a'], leftOutCount: 2 }
  for (const [folder, detail] of [
    [{ ...watched, state: 'scanning' }, 'still scanning'],
    [{ ...watched, state: 'offline' }, '1 folder not available'],
    [{ ...watched, state: 'replaced' }, '1 folder not available'],
    [{ ...watched, state: 'unusable' }, '1 folder not available'],
    [{ ...watched, problems: [problem] }, '2 items left out'],
  ] as const)
    expect(wordsFor({ ...card, folders: [folder], standings: countsWith({ safe: 1 }) })[1]).toBe(detail)
})

test('a dismissed file does not make a card unsafe to unplug', () => {
  expect(wordsFor({ ...card, standings: countsWith({ safe: 37, dismissed: 1 }) })).toEqual([
    'CARD-04 safe to unplug',
    'everything else processed · 1 dismissed',
  ])
})

test('a drive with a drive letter counts as removable only if Windows reports it as removable', () => {
  const facts = { drive: 'E:\\', folders: [watched], files: [1], standings: countsWith({ safe: 1 }) }
  expect(driveSafety(facts).removable).toBe(false)
  expect(driveSafety({ ...facts, removable: true })).toMatchObject({ removable: true, safeToUnplug: true })
})
