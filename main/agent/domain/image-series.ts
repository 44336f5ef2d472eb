import type { InspectionWarning } from '../../../shared/status/inspection.ts'

/**
 * A camera that writes one image per file numbers the files: `frame_0001.jpg`. The images of one take whose names
 * differ only in the number are one series.
 */

/** `type`: format and size of the image, as in its inspection. */
export type SeriesImage = { readonly id: number; readonly path: string; readonly type: string | null }
export type SeriesReport = { readonly id: number; readonly warnings: readonly InspectionWarning[] }

type NumberedImage = SeriesImage & { readonly number: number }

/** A longer number is a time or an ID, not the number of an image. */
const NUMBERED_NAME = /^(.*?)(?<!\d)(\d{1,9})(\.[^./\\]+)$/s
/** In a shorter series, a missing number or a different size means nothing. */
const MIN_IMAGES = 3
const MAX_RANGES = 3

const seriesOf = (images: readonly SeriesImage[]): ReadonlyMap<string, NumberedImage[]> => {
  const series = new Map<string, NumberedImage[]>()
  for (const image of images) {
    const [, name, digits, extension] = NUMBERED_NAME.exec(image.path) ?? []
    if (name === undefined || extension === undefined) continue
    const key = `${name}*${extension}`
    const members = series.get(key)
    const numbered = { ...image, number: Number(digits) }
    if (members === undefined) series.set(key, [numbered])
    else members.push(numbered)
  }
  return series
}

const missingRanges = (sorted: readonly NumberedImage[]): { readonly from: number; readonly to: number }[] =>
  sorted.slice(1).flatMap(({ number }, index) => {
    const from = sorted[index]!.number + 1
    return from < number ? [{ from, to: number - 1 }] : []
  })

const missingWarning = (sorted: readonly NumberedImage[]): InspectionWarning | null => {
  const ranges = missingRanges(sorted)
  const missing = ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  // If at least half of the numbers are missing, they do not count images, but for example milliseconds.
  if (missing === 0 || missing >= sorted.length) return null
  const shown = ranges
    .slice(0, MAX_RANGES)
    .map(({ from, to }) => (from === to ? String(from) : `${from} to ${to}`))
  const omitted = ranges.length > MAX_RANGES ? ', …' : ''
  const verb = missing === 1 ? 'is' : 'are'
  return {
    code: 'images-missing',
    detail: `${missing} of ${sorted.length + missing} images ${verb} missing: ${shown.join(', ')}${omitted}.`,
  }
}

const sizeWarning = (sorted: readonly NumberedImage[]): InspectionWarning | null => {
  const counts = new Map<string, number>()
  for (const { type } of sorted) if (type !== null) counts.set(type, (counts.get(type) ?? 0) + 1)
  const [usual, other] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (usual === undefined || other === undefined) return null
  const different = [...counts.values()].reduce((sum, count) => sum + count, 0) - usual[1]
  return {
    code: 'images-differ',
    detail: `${different} of ${sorted.length} images differ in size: ${other[0]}, usually ${usual[0]}.`,
  }
}

/** One report for each series with missing images or different image sizes. `id` is the ID of its first image. */
export const checkSeries = (images: readonly SeriesImage[]): readonly SeriesReport[] => {
  const series = [...seriesOf(images)].filter(([, members]) => members.length >= MIN_IMAGES)
  return series.flatMap(([, members]) => {
    const sorted = members.toSorted((a, b) => a.number - b.number)
    const warnings = [missingWarning(sorted), sizeWarning(sorted)].filter((warning) => warning !== null)
    return warnings.length === 0 ? [] : [{ id: sorted[0]!.id, warnings }]
  })
}
