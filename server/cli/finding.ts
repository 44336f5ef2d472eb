/** One line of `check`. */
export type Finding = {
  readonly subject: string
  readonly problem: string | null
  /** Printed instead of "ok". */
  readonly note?: string
}
