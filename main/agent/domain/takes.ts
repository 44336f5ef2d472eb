import type { Paths } from '../../../shared/paths/paths.ts'
import type { FolderSettings } from '../../../shared/settings/settings.ts'
import type { TakeLayout } from '../../../shared/settings/take-layouts.ts'
import type { Standing } from '../../../shared/status/standing.ts'

/**
 * A take is several files that belong together: the files of one subfolder of the watched folder, or the files of a
 * split recording. The journal stores only which take a file belongs to. The functions here derive everything else from
 * the files.
 */

/** `run_0.mcap`, `run_1.mcap.zstd`: the name, the number and the extensions. */
const SPLIT_NAME = /^(.+)_(\d+)((?:\.[^.]+){1,2})$/
/**
 * Replaces the number in the path of a split recording. Windows forbids `*` in file names, so no real file on Windows
 * has this path.
 */
const ANY_NUMBER = '_*'

type TakePaths = Pick<Paths, 'nameInside' | 'nameOf' | 'join' | 'resolve'>

/**
 * The take of a file: the direct subfolder of the watched folder that contains it, or the path of the split recording
 * with `*` for the number. Null if the file is a take by itself.
 */
export const takeOf = (
  { take, path: folder }: Pick<FolderSettings, 'take' | 'path'>,
  file: string,
  paths: TakePaths,
): string | null => {
  switch (take) {
    case 'file':
      return null
    case 'folder': {
      const names = (paths.nameInside(folder, file) ?? '').split('/')
      const [first] = names
      return first === undefined || names.length < 2 ? null : paths.join(folder, first)
    }
    case 'split': {
      const [, name, , extensions] = SPLIT_NAME.exec(paths.nameOf(file)) ?? []
      if (name === undefined || extensions === undefined) return null
      return paths.join(paths.resolve(file, '..'), `${name}${ANY_NUMBER}${extensions}`)
    }
  }
}

/** The name without number and extension, and the number. Null if the file is no part of a split recording. */
export const splitPartOf = (name: string): { readonly recording: string; readonly number: number } | null => {
  const [, recording, number] = SPLIT_NAME.exec(name) ?? []
  return recording === undefined ? null : { recording, number: Number(number) }
}

/** The name of a take for people: the name of its folder, or of the split recording without number and extension. */
export const takeName = (take: string, paths: Pick<Paths, 'nameOf'>): string => {
  const name = paths.nameOf(take)
  const end = name.lastIndexOf(ANY_NUMBER)
  return end <= 0 ? name : name.slice(0, end)
}

/** rosbag2 writes this file when it closes the recording. */
export const ROSBAG2_MARKER = 'metadata.yaml'

/**
 * Whether rosbag2 may have written the file `inside` in the folder `name`: `run_0.mcap` in `run`, or a numbered `.db3`
 * file.
 */
const isRosbag2File = (name: string, inside: string): boolean => {
  if (inside.includes('/')) return false
  if (/_\d+\.db3(\.zstd)?$/.test(inside)) return true
  return inside.startsWith(`${name}_`) && /^\d+\.mcap(\.zstd)?$/.test(inside.slice(name.length + 1))
}

export const isRosbag2 = (name: string, namesInside: readonly string[]): boolean =>
  namesInside.some((inside) => isRosbag2File(name, inside))

/** The file with the highest number, which rosbag2 wrote last. Null if there is none. */
export const lastRosbag2File = (name: string, namesInside: readonly string[]): string | null =>
  namesInside
    .filter((inside) => isRosbag2File(name, inside))
    .reduce<string | null>(
      (last, inside) => (last === null || numberOf(inside) > numberOf(last) ? inside : last),
      null,
    )

const numberOf = (name: string): number => splitPartOf(name)?.number ?? -1

const isLeRobot = (namesInside: readonly string[]): boolean => namesInside.includes('meta/info.json')

/** What the notes of a session say about a take. `members` may list only the first few of the `count` files. */
export type TakeFiles = { readonly name: string; readonly count: number; readonly members: readonly string[] }

/**
 * The take as one line of JSON, for the notes of a session. Shortens `members` until the line fits. `files` always
 * counts all files.
 */
export const takeLine = ({ name, count, members }: TakeFiles, maxChars: number): string => {
  const lineOf = (shown: number) =>
    JSON.stringify({ take: { name, files: count, members: members.slice(0, shown) } })
  let [low, high] = [0, members.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (lineOf(middle).length <= maxChars) low = middle
    else high = middle - 1
  }
  return lineOf(low)
}

/** The share of the subfolders that must have the same layout. */
const MIN_LAYOUT_SHARE = 0.5

/**
 * The layout of most folders directly below a watched folder. Null if no known layout is that frequent: then the
 * folders are probably not takes.
 */
export const findTakeLayout = (namesInside: readonly string[]): TakeLayout | null => {
  const subfolders = new Map<string, string[]>()
  for (const path of namesInside) {
    const slash = path.indexOf('/')
    if (slash < 0) continue
    const name = path.slice(0, slash)
    const files = subfolders.get(name)
    if (files === undefined) subfolders.set(name, [path.slice(slash + 1)])
    else files.push(path.slice(slash + 1))
  }
  const count = (hasLayout: (name: string, files: readonly string[]) => boolean) =>
    [...subfolders].filter(([name, files]) => hasLayout(name, files)).length
  const needed = Math.max(1, subfolders.size * MIN_LAYOUT_SHARE)
  if (count(isRosbag2) >= needed) return 'rosbag2'
  return count((_, files) => isLeRobot(files)) >= needed ? 'LeRobot' : null
}

/**
 * The files of a take may have different standings. The one that comes first in this list is the standing of the take.
 * So a take is safe only if all its files are safe.
 */
const standingOrder = [
  'needs-attention',
  'recording',
  'uploading',
  'waiting',
  'at-service',
  'elsewhere',
  'dismissed',
  'safe',
] as const satisfies readonly Standing[]

/** The file that decides the state of its take. */
export const decidingFile = <File extends { readonly standing: Standing }>(
  files: readonly [File, ...File[]],
): File =>
  files.reduce((decides, file) =>
    standingOrder.indexOf(file.standing) < standingOrder.indexOf(decides.standing) ? file : decides,
  )
