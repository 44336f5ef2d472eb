export type FieldPath = readonly PropertyKey[]

export type SettingsFault = {
  readonly line: number | null
  readonly column: number | null
  /** The field, or null for the file as a whole. */
  readonly path: FieldPath | null
  /** A sentence about the field, or the rest of a sentence after the name of the file. It never contains a key. */
  readonly message: string
}
