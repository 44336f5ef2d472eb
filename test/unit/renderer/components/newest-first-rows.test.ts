import { expect, it } from 'vitest'
import { addDayRows } from '../../../../renderer/components/newest-first-rows.ts'

it('each row of a list has its own key, even if a day or a line appears twice', () => {
  const lines = [
    { day: 'Today', text: 'agent exited' },
    { day: 'No time', text: 'at run (agent.js:1)' },
    { day: 'Today', text: 'agent exited' },
    { day: 'No time', text: 'at run (agent.js:1)' },
  ]
  const rows = addDayRows(
    lines,
    ({ text }) => text,
    ({ day }) => day,
  )
  expect(rows.map((row) => (row.kind === 'day' ? row.day : row.entry.text))).toEqual(
    lines.flatMap(({ day, text }) => [day, text]),
  )
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
})
