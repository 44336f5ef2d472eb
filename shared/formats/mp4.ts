import { type BoundedReader, DamagedError, EndOfFileError } from './bounded-reader.ts'
import type { Findings } from './findings.ts'
import type { EndMark, Format } from './format.ts'
import { type Box, walkBoxes } from './mp4-boxes.ts'
import { addFragment, addTracks, type Mp4Track, readTracks } from './mp4-tracks.ts'

/** `findEnd` reads at most this many boxes. Only the inspection reads thousands of fragments. */
const maxBoxesForEnd = 2_000
const firstBoxes = new Set(['ftyp', 'styp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])

type Layout = {
  readonly movie: Box | null
  readonly fragments: number
  /** `cut-off` without a movie box or media data. In a file with fragments, only a closing index marks the end. */
  readonly end: EndMark
}

async function readLayout(
  reader: BoundedReader,
  onFragment?: (fragment: Box, movie: Box | null) => Promise<void>,
): Promise<Layout> {
  let movie: Box | null = null
  let fragments = 0
  let boxes = 0
  let hasMedia = false
  let lastType = ''
  let isEndKnown = true
  try {
    for await (const box of walkBoxes(reader, 0, reader.size)) {
      boxes += 1
      if (onFragment === undefined && boxes > maxBoxesForEnd) return { movie, fragments, end: 'unmarked' }
      if (box.type === 'moov') movie = box
      if (box.type === 'mdat') hasMedia = true
      if (box.type === 'moof') {
        fragments += 1
        await onFragment?.(box, movie)
      }
      lastType = box.type
      isEndKnown = box.isEndKnown
    }
  } catch (error) {
    if (error instanceof EndOfFileError) return { movie, fragments, end: 'cut-off' }
    throw error
  }
  if (movie === null || !hasMedia) return { movie, fragments, end: 'cut-off' }
  if (!isEndKnown || (fragments > 0 && lastType !== 'mfra')) return { movie, fragments, end: 'unmarked' }
  return { movie, fragments, end: 'marked' }
}

async function findEnd(reader: BoundedReader): Promise<EndMark> {
  try {
    const { movie, fragments, end } = await readLayout(reader)
    if (end !== 'marked' || movie === null || fragments > 0) return end
    // If the movie box announces fragments but the file has none, nothing marks the end of the file.
    for await (const box of walkBoxes(reader, movie.bodyAt, movie.end))
      if (box.type === 'mvex') return 'unmarked'
    return 'marked'
  } catch (error) {
    if (error instanceof DamagedError) return 'unmarked'
    throw error
  }
}

async function inspect(reader: BoundedReader, findings: Findings): Promise<void> {
  let tracks: readonly Mp4Track[] | null = null
  const tracksOf = async (movie: Box) => {
    tracks ??= await readTracks(reader, movie, findings)
    return tracks
  }
  const layout = await readLayout(reader, async (fragment, movie) => {
    if (movie !== null) await addFragment(reader, fragment, await tracksOf(movie))
  })
  findings.completeness = layout.end === 'cut-off' ? 'cut-off' : 'unknown'
  if (layout.movie === null) return
  const movieTracks = await tracksOf(layout.movie)
  addTracks(movieTracks, findings)
  if (movieTracks.some(({ lastChunkAt }) => lastChunkAt >= reader.size)) findings.completeness = 'cut-off'
  else if (
    layout.end === 'marked' &&
    (layout.fragments > 0 || !movieTracks.some(({ isFragmented }) => isFragmented))
  )
    findings.completeness = 'complete'
}

const isMp4 = (head: Buffer, fileName: string): boolean => {
  const type = head.toString('latin1', 4, 8)
  return type === 'ftyp' || (firstBoxes.has(type) && /\.(mp4|m4v|m4a|mov|qt)$/.test(fileName))
}

const isQuickTime = (head: Buffer, fileName: string): boolean =>
  head.toString('latin1', 8, 12) === 'qt  ' || /\.(mov|qt)$/.test(fileName)

export const mp4: Format = {
  name: 'mp4',
  matches: (head, fileName) => isMp4(head, fileName) && !isQuickTime(head, fileName),
  findEnd,
  inspect,
}

export const mov: Format = {
  name: 'mov',
  matches: (head, fileName) => isMp4(head, fileName) && isQuickTime(head, fileName),
  findEnd,
  inspect,
}
