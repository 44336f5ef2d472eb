/**
 * An error that prints several lines. The text of other errors is escaped to one line, because file names may contain line
 * breaks.
 */
export class MultiLineError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
