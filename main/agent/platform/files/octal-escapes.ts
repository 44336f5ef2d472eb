/** The kernel escapes spaces, line ends and backslashes in paths as octal numbers. */
export const withoutOctalEscapes = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
