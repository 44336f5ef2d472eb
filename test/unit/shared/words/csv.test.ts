import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine } from '../../../../shared/words/csv.ts'

/** Reads CSV like Excel: quotes enclose text only at the start of a cell, and the cell may continue after them. */
const cellsOf = (text: string, separator: string): string[] => {
  const cells: string[] = []
  let at = 0
  while (at <= text.length) {
    let cell = ''
    if (text[at] === '"') {
      at += 1
      while (at < text.length && !(text[at] === '"' && text[at + 1] !== '"')) {
        cell += text[at]
        at += text[at] === '"' ? 2 : 1
      }
      at += 1
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
      cell += text[at]
      at += 1
    }
    cells.push(cell)
    at += 1
  }
  return cells
}

const isFormula = (cell: string): boolean => /^\s*[=+\-@＝＋－＠]/.test(cell)

test.each([
  'take;=1+1.wav',
  'take; =1+1.wav',
  'take;"=1+1".wav',
  'take;""=1+1.wav',
  ';=1+1',
  'take;-1',
  'take;@SUM(A1)',
  'take;+1',
  'take;＝1',
  'take\t=1+1',
  'take,=1+1',
  'take\r\n=1+1',
  'take;\t=1',
])('no spreadsheet finds a formula in %j, with any separator', (name) => {
  const text = csvLine(['first', name, name, 'last'])
  for (const separator of [',', ';', '\t'])
    expect(cellsOf(text, separator).filter(isFormula), separator).toEqual([])
})

test('no spreadsheet finds a formula in cells with any content', () => {
  const unit = fc.constantFrom(...';,\t"\'=+-@ \r\n\\a')
  const cell = fc.string({ unit, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 5 }), (cells) => {
      const text = csvLine(cells) + csvLine(cells.toReversed())
      for (const separator of [',', ';', '\t'])
        expect(cellsOf(text, separator).filter(isFormula), separator).toEqual([])
    }),
    { numRuns: 2_000 },
  )
})

test('a cell with a harmless separator stays unchanged', () => {
  expect(csvLine(['hall;3', 'a, b'])).toBe('"hall;3","a, b"\r\n')
})
