/** Printed on several lines. All other errors are escaped to one line, because file names may hold line breaks. */
export class MultiLineError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
