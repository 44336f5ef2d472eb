import { describe, expect, it } from 'vitest'
import { refusedField, refusesName } from '../../../renderer/refused-field.ts'
import { aProblem } from '../main/shell/status-fixture.ts'

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
  ] as const)('of the problem %s (%s) is corrected in the field %s', (code, param, field) => {
    expect(refusedField(aProblem({ code, param }))).toBe(field)
  })
  it('is the name of the file if the service refuses the file name', () => {
    expect(refusesName(aProblem({ code: 'name-refused' }))).toBe(true)
    expect(refusesName(aProblem({ code: 'upload-refused', param: 'filename' }))).toBe(true)
    expect(refusesName(aProblem({ code: 'upload-refused' }))).toBe(false)
  })
})
