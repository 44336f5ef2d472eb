import type { Problem, ProblemCode } from '../shared/status.ts'

/** What is typed for a folder and goes to the service with each of its recordings, by the contract's names (§4.1). */
const refusedFields = ['site', 'device', 'notes', 'part_size'] as const
export type RefusedField = (typeof refusedFields)[number]

/** Where a refused value is typed: the folder, the field, and what the service said about it. */
export type Mend = { readonly folder: string; readonly field: RefusedField; readonly sentence: string }

const byCode: Partial<Record<ProblemCode, RefusedField>> = {
  'site-refused': 'site',
  'device-refused': 'device',
  'notes-refused': 'notes',
  'part-size-refused': 'part_size',
}

/** The field to correct, also where only the parameter tells (§7). */
export const refusedField = ({ code, param }: Problem): RefusedField | null =>
  byCode[code] ?? refusedFields.find((field) => field === param) ?? null

export const refusesName = ({ code, param }: Problem): boolean =>
  code === 'name-refused' || param === 'filename'

export const mendWords: Readonly<Record<RefusedField, string>> = {
  site: 'Correct the site',
  device: 'Correct the device',
  notes: 'Correct the notes',
  part_size: 'Correct the part size',
}
