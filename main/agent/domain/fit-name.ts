const MAX_EXTENSION_CHARS = 16

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Inserts the suffix before the extension, and shortens the rest of the name until it fits. Keeps the extension unless
 * it is very long, because the folder's patterns may match it.
 */
export const fitName = (name: string, maxBytes: number, suffix = ''): string => {
  const dot = name.lastIndexOf('.')
  const fullName = dot > 0 ? name.slice(0, dot) + suffix + name.slice(dot) : name + suffix
  if (bytesOf(fullName) <= maxBytes) return fullName
  const ending = suffix + (dot > 0 && name.length - dot <= MAX_EXTENSION_CHARS ? name.slice(dot) : '')
  const stem = Array.from(name.slice(0, name.length - (ending.length - suffix.length)))
  while (stem.length > 0 && bytesOf(stem.join('') + ending) > maxBytes) stem.pop()
  return stem.join('') + ending
}
