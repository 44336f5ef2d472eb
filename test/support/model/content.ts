import { createHash } from 'node:crypto'

/** The digests of simulated content depend only on its name, so that a file of a gigabyte costs nothing. */
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

const contentBySha256 = new Map<string, string>()

export const wholeDigest = (content: string): string => {
  const sha256 = digest(content)
  contentBySha256.set(sha256, content)
  return sha256
}

export const partDigest = (content: string, number: number, partSizeBytes: number): string =>
  digest(`${content} ${number} ${partSizeBytes}`)

/** The content of the file with that digest. */
export const contentOf = (sha256: string): string => contentBySha256.get(sha256) ?? 'unknown'
