/** An error that prints several lines. Other errors are escaped to one line, because file names may contain line breaks. */
export class MultiLineError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}
