const normal = (path: string) => `${path.replace(/[\\/]+/g, '/').replace(/\/$/, '')}/`

/** One file must belong to one folder only, or it would be uploaded twice under two sites. */
export const overlapIssue = (path: string, others: readonly string[]): string | null => {
  const own = normal(path)
  for (const other of others) {
    const known = normal(other)
    if (own === known) return 'This folder is already watched.'
    if (own.startsWith(known)) return `This folder is inside ${other}, which is already watched.`
    if (known.startsWith(own)) return `This folder contains ${other}, which is already watched.`
  }
  return null
}
