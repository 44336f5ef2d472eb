/** The columns of `sluice export recordings`, in this order. */
export const exportColumns = [
  'path',
  'site',
  'device',
  'standing',
  'state',
  'bytes',
  'bytes_sent',
  'sha256',
  'session_id',
  'found_at',
  'changed_at',
  'problem',
] as const

export type ExportedRecording = Readonly<Record<(typeof exportColumns)[number], string | number | null>>
