import { describe, expect, it } from 'vitest'
import { dateRange, noFilters, queryOf } from '../../../../../renderer/features/recordings/filters.ts'

describe('the filters', () => {
  const now = new Date(2026, 2, 12, 9, 0)
  it('use the agent’s start of the night, or 18:00 on the page’s clock if that start is unknown', () => {
    const since = new Date(2026, 2, 11, 18).toISOString()
    expect(dateRange({ date: 'night', from: '', to: '' }, now, null)).toEqual({ from: since })
    const agentNightStart = new Date(2026, 2, 11, 17).toISOString()
    expect(dateRange({ date: 'night', from: '', to: '' }, now, agentNightStart)).toEqual({
      from: agentNightStart,
    })
  })
  it('include both days of a range, and ignore an incomplete date', () => {
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
  ] as const)('query “%s” as the standings %j', (standing, standings) => {
    expect(queryOf({ ...noFilters, standing }, now, null).standings).toEqual(standings)
  })
})
