/** One line of `check`. */
export type Finding = {
  readonly subject: string
  readonly problem: string | null
  /** Replaces "ok". */
  readonly note?: string
}
