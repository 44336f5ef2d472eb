/** rosbag2 lists all files and topics in its metadata, a few kilobytes for each topic. */
export const MAX_ROSBAG2_METADATA_BYTES = 4 * 1024 * 1024

/**
 * The data files that a rosbag2 `metadata.yaml` lists. Empty if the list cannot be read. This is no YAML parser, because the
 * settler calls it often in the agent's event loop, and a parser needs seconds for a megabyte.
 */
export const rosbag2Files = (metadata: string): readonly string[] => {
  const key = /^[ \t]*relative_file_paths:[ \t]*\r?\n/m.exec(metadata)
  if (key === null) return []
  const files: string[] = []
  for (let at = key.index + key[0].length, end = 0; at < metadata.length; at = end + 1) {
    end = metadata.indexOf('\n', at)
    if (end === -1) end = metadata.length
    const item = /^-\s+(.+)$/.exec(metadata.slice(at, end).trim())?.[1]
    if (item === undefined) break
    files.push(item.replace(/^["']|["']$/g, ''))
  }
  return files
}
