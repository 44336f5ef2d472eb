import { REMOVING_PREFIX } from '../../../shared/paths/system-names.ts'

/** Home folders that older Linux systems encrypt take no longer names; all others take 255 bytes. */
const MOST_BYTES = 143
const LONGEST_ENDING = 16

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** As much of the stem as there is room for, and the ending, by which a folder's filter knows it. */
const cutName = (name: string, mostBytes: number): string => {
  if (bytesOf(name) <= mostBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= LONGEST_ENDING ? name.slice(dot) : ''
  const stem = Array.from(name.slice(0, name.length - ending.length))
  while (stem.length > 0 && bytesOf(stem.join('') + ending) > mostBytes) stem.pop()
  return stem.join('') + ending
}

/** The name of a file on its way out. It holds the file's own: a journal that knows it may be lost. */
export const asideName = (key: string, name: string): string => {
  const before = `${REMOVING_PREFIX}${key}~`
  return before + cutName(name, MOST_BYTES - bytesOf(before))
}

/** What a file of such a name was called; of one that says nothing, a name that can at least be seen. */
export const nameBefore = (aside: string): string => {
  const rest = aside.slice(REMOVING_PREFIX.length)
  const at = rest.indexOf('~')
  return at === -1 || at === rest.length - 1 ? `recording-${rest.replaceAll('~', '')}` : rest.slice(at + 1)
}
