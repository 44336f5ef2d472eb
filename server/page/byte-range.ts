import type { ByteRange } from '../storage/byte-store.ts'

/**
 * The range that a `Range` header requests. `whole`: there is no header, or the server ignores it, for example because
 * it names several ranges.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole'
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { start, end: to === '' ? size : Math.min(Number(to) + 1, size) }
}
