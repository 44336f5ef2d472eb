/** rosbag2 lists all files and topics in its metadata, a few kilobytes for each topic. */
export const MAX_ROSBAG2_METADATA_BYTES = 4 * 1024 * 1024

/** `isWhole`: false if the list may name more files. */
export type Rosbag2List = { readonly files: readonly string[]; readonly isWhole: boolean }

/**
 * The data files that a rosbag2 `metadata.yaml` lists. A YAML parser would block the agent's event loop for seconds,
 * so this function reads only what rosbag2 writes. `isWhole` is false if another tool wrote the list in a different
 * way.
 */
export const rosbag2Files = (metadata: string): Rosbag2List => {
  const key = /^[ \t]*relative_file_paths:[ \t]*\r?\n/m.exec(metadata)
  const names: (string | null)[] = []
  const listOf = (hasEnd: boolean): Rosbag2List => {
    const files = names.filter((name) => name !== null)
    return { files, isWhole: hasEnd && files.length > 0 && files.length === names.length }
  }
  if (key === null) return listOf(false)
  let itemIndent: number | null = null
  for (let at = key.index + key[0].length, end = 0; at < metadata.length; at = end + 1) {
    end = metadata.indexOf('\n', at)
    if (end === -1) end = metadata.length
    const line = metadata.slice(at, end).trimEnd()
    const content = line.trimStart()
    if (content === '' || content.startsWith('#')) continue
    const indent = line.length - content.length
    itemIndent ??= indent
    // This line continues the item above it.
    if (indent > itemIndent) names[names.length - 1] = null
    else if (indent === itemIndent && /^-(?:\s|$)/.test(content)) names.push(nameIn(content.slice(1).trim()))
    else return listOf(/:(?:\s|$)/.test(content))
  }
  // A text that was cut off may end like this too.
  return listOf(false)
}

/** Null for an item with escapes, a comment, a tag, or anything else that is no simple text. */
function nameIn(item: string): string | null {
  // The decoder puts this character in place of bytes that are not UTF-8.
  if (item.includes('\ufffd')) return null
  if (/^"[^"\\]*"$/.test(item)) return item.slice(1, -1)
  if (item.length > 1 && item.startsWith("'") && item.endsWith("'")) {
    const quoted = item.slice(1, -1)
    return quoted.replaceAll("''", '').includes("'") ? null : quoted.replaceAll("''", "'")
  }
  const isPlain = /^(?![-?:](?:\s|$))[^,[\]{}#&*!|>'"%@`]/.test(item) && !/:(?:\s|$)|\s#/.test(item)
  return isPlain ? item : null
}
