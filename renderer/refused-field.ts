import type { Problem, ProblemCode } from '../shared/status/problem.ts'

/** The folder settings that Sluice sends with each recording, named as in §4.1. */
const refusedFields = ['site', 'device', 'notes', 'part_size'] as const
export type RefusedField = (typeof refusedFields)[number]

/** A folder setting to correct: the path of a missing folder, or a value that the service refused. */
export type FieldFix = {
  readonly folder: string
  readonly field: RefusedField | 'path'
  readonly sentence: string
}

const fieldsByCode: Partial<Record<ProblemCode, RefusedField>> = {
  'site-refused': 'site',
  'device-refused': 'device',
  'notes-refused': 'notes',
  'part-size-refused': 'part_size',
}

/** The field to correct, from the problem code or the refused parameter (§7). */
export const refusedField = ({ code, param }: Problem): RefusedField | null =>
  fieldsByCode[code] ?? refusedFields.find((field) => field === param) ?? null

export const refusesName = ({ code, param }: Problem): boolean =>
  code === 'name-refused' || param === 'filename'

export const fixWords: Readonly<Record<RefusedField, string>> = {
  site: 'Correct the site',
  device: 'Correct the device',
  notes: 'Correct the notes',
  part_size: 'Correct the part size',
}
