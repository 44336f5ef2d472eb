import { describe, expect, it } from 'vitest'
import { nextCheckSentence } from '../../../../../renderer/components/hold-words.ts'
import { draftOf, readFolder } from '../../../../../renderer/features/folders/folder-draft.ts'
import { dateRange, noFilters, queryOf } from '../../../../../renderer/features/recordings/filters.ts'
import { MAX_CELLS, partCells } from '../../../../../renderer/features/recordings/part-cells.ts'
import { suggestAddress } from '../../../../../renderer/features/service/address.ts'
import { parsePlace } from '../../../../../renderer/navigation.ts'
import { refusedField, refusesName } from '../../../../../renderer/refused-field.ts'
import { draftSettingsSchema } from '../../../../../shared/settings/settings.ts'
import type { PartState } from '../../../../../shared/status/status.ts'
import {
  formatAgo,
  formatBytes,
  formatDuration,
  formatEta,
  formatMoment,
  momentInSentence,
  plural,
} from '../../../../../shared/words/format.ts'
import { aProblem } from '../../../main/shell/status-fixture.ts'

describe('numbers', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [999_499, '999 kB'],
    [999_600, '1.0 MB'],
    [84_200_000, '84.2 MB'],
    [1_234_000_000_000, '1.2 TB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words)
  })
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [840, '14 min'],
    [7_500, '2 h 5 min'],
    [90_000, '1 d 1 h'],
  ])('%i seconds are %s', (seconds, words) => {
    expect(formatDuration(seconds)).toBe(words)
  })
  it('an estimate of the remaining time changes in steps, not every second', () => {
    const words = Array.from({ length: 50 }, (_, second) => formatEta(840 - second))
    expect(new Set(words)).toEqual(new Set(['15 min left']))
  })
  it('uses singular and plural', () => {
    expect([plural(1, 'recording'), plural(12_000, 'recording')]).toEqual([
      '1 recording',
      '12,000 recordings',
    ])
    expect(formatAgo('2026-03-12T07:00:00Z', Date.parse('2026-03-12T07:03:00Z'))).toBe('3 min ago')
  })
})

describe('a moment', () => {
  const now = new Date(2026, 9, 25, 12, 0).getTime()
  it.each([
    [new Date(2026, 9, 25, 6, 5), 'Today 06:05'],
    [new Date(2026, 9, 24, 18, 0), 'Yesterday 18:00'],
    [new Date(2026, 9, 26, 6, 0), 'Tomorrow 06:00'],
    [new Date(2026, 10, 2, 6, 0), '2 Nov 06:00'],
    [new Date(2025, 10, 2, 6, 0), '2 Nov 2025 06:00'],
  ])('%s is shown as %s', (at, words) => {
    expect(formatMoment(at.toISOString(), now)).toBe(words)
  })
  it('keeps the capital of a month in the middle of a sentence', () => {
    expect(momentInSentence(new Date(2026, 10, 2, 6).toISOString(), now)).toBe('2 Nov 06:00')
    expect(momentInSentence(new Date(2026, 9, 26, 6).toISOString(), now)).toBe('tomorrow 06:00')
  })
})

describe('the part map', () => {
  it('never shows too much progress if one square stands for several parts', () => {
    const parts: PartState[] = Array.from({ length: 10_000 }, (_, index) =>
      index === 5_000 ? 'missing' : 'sent',
    )
    const { cells, partsPerCell, counts } = partCells(parts)
    expect(cells.length).toBeLessThanOrEqual(MAX_CELLS)
    expect(partsPerCell).toBe(21)
    expect(cells.filter((cell) => cell !== 'sent')).toEqual(['missing'])
    expect(counts).toEqual({ sent: 9_999, sending: 0, missing: 1 })
  })
  it('shows one square for each part if all parts fit', () => {
    expect(partCells(['sent', 'sending', 'missing']).cells).toEqual(['sent', 'sending', 'missing'])
  })
})

describe('filters', () => {
  const now = new Date(2026, 2, 12, 9, 0)
  it('the night filter uses the agent’s start of the night, not the page’s clock', () => {
    const since = new Date(2026, 2, 11, 18).toISOString()
    expect(dateRange({ date: 'night', from: '', to: '' }, now, null)).toEqual({ from: since })
    const agentNightStart = new Date(2026, 2, 11, 17).toISOString()
    expect(dateRange({ date: 'night', from: '', to: '' }, now, agentNightStart)).toEqual({
      from: agentNightStart,
    })
  })
  it('both days of a range are included, and an incomplete date is ignored', () => {
    expect(dateRange({ date: 'between', from: '2026-03-01', to: '2026-03-02' }, now, null)).toEqual({
      from: new Date(2026, 2, 1).toISOString(),
      to: new Date(2026, 2, 3).toISOString(),
    })
    expect(dateRange({ date: 'between', from: '2026-03', to: '' }, now, null)).toEqual({})
  })
  it.each([
    ['all', []],
    ['here', ['recording', 'waiting', 'uploading']],
    ['needs-attention', ['needs-attention']],
  ] as const)('%s queries %j', (standing, standings) => {
    expect(queryOf({ ...noFilters, standing }, now, null).standings).toEqual(standings)
  })
})

describe('an address', () => {
  it.each([
    ['api.example.com', 'https://api.example.com'],
    ['https://api.example.com/v1/sessions?x=1', 'https://api.example.com'],
    ['http://api.example.com', null],
    ['hello', null],
    ['https://', null],
  ])('suggests for %s: %s', (typed, suggestion) => {
    expect(suggestAddress(typed)).toBe(suggestion)
  })
})

describe('a refused parameter', () => {
  it.each([
    ['site-refused', null, 'site'],
    ['device-refused', 'device', 'device'],
    ['notes-refused', null, 'notes'],
    ['part-size-refused', 'part_size', 'part_size'],
    ['parts-impossible', 'part_size', 'part_size'],
    ['upload-refused', 'device', 'device'],
    ['upload-refused', 'sha256', null],
    ['upload-refused', 'constructor', null],
    ['name-refused', 'filename', null],
  ] as const)('%s (%s) is corrected at %s', (code, param, field) => {
    expect(refusedField(aProblem({ code, param }))).toBe(field)
  })
  it('is the name of the file if the service refuses the file name', () => {
    expect(refusesName(aProblem({ code: 'name-refused' }))).toBe(true)
    expect(refusesName(aProblem({ code: 'upload-refused', param: 'filename' }))).toBe(true)
    expect(refusesName(aProblem({ code: 'upload-refused' }))).toBe(false)
  })
})

describe('the words for the next check of a hold', () => {
  const now = new Date(2026, 2, 12, 14, 0).getTime()
  it.each([
    [new Date(2026, 2, 12, 14, 0, 40), 'Sluice checks again in a moment.'],
    [new Date(2026, 2, 12, 14, 5), 'Sluice checks again at 14:05.'],
    [new Date(2026, 2, 13, 2, 0), 'Sluice checks again tomorrow 02:00.'],
    [new Date(2026, 2, 12, 13, 59), 'Sluice is checking again now.'],
  ])('at %s: %s', (at, sentence) => {
    expect(nextCheckSentence(at.toISOString(), now)).toBe(sentence)
  })
})

describe('the part size of a folder', () => {
  const folder = (part_size_bytes?: number) =>
    draftSettingsSchema.parse({ folders: [{ path: '/a', site: 'A', part_size_bytes }] }).folders[0]
  it.each([8_000_000, 67_108_864, 536_870_912, undefined])('of %s is read back unchanged', (bytes) => {
    const storedFolder = folder(bytes)
    if (storedFolder === undefined) throw new Error('no folder')
    expect(readFolder(draftOf(storedFolder), storedFolder)).toEqual(
      bytes === undefined ? (({ part_size_bytes: _, ...rest }) => rest)(storedFolder) : storedFolder,
    )
  })
})

describe('a place that a notification points to', () => {
  it.each([
    ['recordings/12', { screen: 'recordings', recordingId: 12 }],
    ['recordings?problem=key-refused', { screen: 'recordings', problem: 'key-refused' }],
    ['recordings?problem=nonsense', { screen: 'recordings' }],
    ['javascript:alert(1)', { screen: 'overview' }],
    ['', { screen: 'overview' }],
  ])('%s', (to, place) => {
    expect(parsePlace(to)).toEqual(place)
  })
})
