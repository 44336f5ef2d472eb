import { MAX_REMOVAL_NAME_BYTES, REMOVING_PREFIX } from '../../../shared/paths/system-names.ts'

const MAX_EXTENSION_CHARS = 16

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Shortens the stem until the name fits. Keeps the extension, because the folder's filter matches it. */
const cutName = (name: string, mostBytes: number): string => {
  if (bytesOf(name) <= mostBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= MAX_EXTENSION_CHARS ? name.slice(dot) : ''
  const stem = Array.from(name.slice(0, name.length - ending.length))
  while (stem.length > 0 && bytesOf(stem.join('') + ending) > mostBytes) stem.pop()
  return stem.join('') + ending
}

/**
 * The temporary name of a file during its removal. `key` is a random UUID. The name contains the file's original name,
 * because the journal with that name may be lost. `originalNameOf` extracts that name.
 */
export const removalNameFor = (key: string, name: string): string => {
  const before = `${REMOVING_PREFIX}${key}~`
  return before + cutName(name, MAX_REMOVAL_NAME_BYTES - bytesOf(before))
}
