import { expect, test } from 'vitest'
import { fillLabels } from '../../../../../main/agent/domain/naming.ts'
import {
  decidingFile,
  findTakeLayout,
  isRosbag2,
  takeLine,
  takeName,
  takeOf,
} from '../../../../../main/agent/domain/takes.ts'
import { linuxPaths, windowsPaths } from '../../../../../shared/paths/paths.ts'

test('each folder directly below the watched folder is a take, with all its subfolders', () => {
  const inFolder = (path: string) => takeOf({ take: 'folder', path: '/rec' }, path, linuxPaths)
  expect(inFolder('/rec/bag/bag_0.mcap')).toBe('/rec/bag')
  expect(inFolder('/rec/set/videos/chunk-000/a.mp4')).toBe('/rec/set')
  expect(inFolder('/rec/lone.mcap')).toBeNull()
  expect(takeOf({ take: 'folder', path: 'D:\\rec' }, 'D:\\rec\\bag\\a.mcap', windowsPaths)).toBe(
    'D:\\rec\\bag',
  )
  expect(takeOf({ take: 'file', path: '/rec' }, '/rec/bag/a.mcap', linuxPaths)).toBeNull()
})

test('numbered files are a take only in the same folder and with the same extension', () => {
  const split = (path: string) => takeOf({ take: 'split', path: '/rec' }, path, linuxPaths)
  expect(split('/rec/run_0.mcap')).toBe('/rec/run_*.mcap')
  expect(split('/rec/run_10.mcap')).toBe('/rec/run_*.mcap')
  expect(split('/rec/run_0.mcap.zstd')).toBe('/rec/run_*.mcap.zstd')
  expect(split('/rec/a/run_0.mcap')).toBe('/rec/a/run_*.mcap')
  expect(split('/rec/run.mcap')).toBeNull()
  expect(takeName('/rec/run_*.mcap', linuxPaths)).toBe('run')
  expect(takeName('/rec/bag_7', linuxPaths)).toBe('bag_7')
})

test('recognises rosbag2 and LeRobot folders by their files', () => {
  expect(isRosbag2('bag', ['bag_0.mcap'])).toBe(true)
  expect(isRosbag2('renamed', ['bag_0.db3'])).toBe(true)
  expect(isRosbag2('run', ['camera.mcap', 'sub/run_0.mcap'])).toBe(false)
  expect(findTakeLayout(['a/a_0.mcap', 'a/metadata.yaml', 'b/b_0.mcap', 'notes.txt'])).toBe('rosbag2')
  expect(findTakeLayout(['set/meta/info.json', 'set/data/chunk-000/episode_0.parquet'])).toBe('LeRobot')
  expect(findTakeLayout(['a/a_0.mcap', 'b/x.bin', 'c/x.bin'])).toBeNull()
  expect(findTakeLayout(['one.mcap'])).toBeNull()
})

const members = Array.from({ length: 1000 }, (_, n) => `episode_${n}.parquet`)

test('the notes name only some files of a large take, but each in full, and state the number of files', () => {
  const line = takeLine({ name: 'set', count: 5000, members }, 1000)
  expect(line.length).toBeLessThanOrEqual(1000)
  expect(JSON.parse(line)).toMatchObject({ take: { name: 'set', files: 5000 } })
})

test.each([0, 10, 3000, 4000, 4096])(
  'notes with %i characters and the line about the take together have at most 4,096 characters',
  (length) => {
    const text = 'x'.repeat(length)
    const result = fillLabels(
      { site: 'lab', device: null, notes: text },
      { hostname: 'pc', folder: 'rec', stem: 'a', segments: [] },
      null,
      { name: 'set', count: 1000, members },
    )
    if (!result.ok) throw new Error('the notes cannot be filled')
    const notes = result.labels.notes ?? ''
    expect(notes.length).toBeLessThanOrEqual(4096)
    const line = notes.split('\n\n').at(-1) ?? ''
    expect(JSON.parse(line)).toMatchObject({ take: { name: 'set', files: 1000 } })
    expect(notes.slice(0, Math.min(length, 4000))).toBe(text.slice(0, 4000))
  },
)

test('a take is safe only if all its files are safe', () => {
  const of = (...standings: Parameters<typeof decidingFile>[0][number]['standing'][]) => {
    const [first, ...others] = standings.map((standing) => ({ standing }))
    return first === undefined ? null : decidingFile([first, ...others]).standing
  }
  expect(of('safe', 'safe')).toBe('safe')
  expect(of('safe', 'at-service')).toBe('at-service')
  expect(of('uploading', 'recording', 'safe')).toBe('recording')
  expect(of('safe', 'needs-attention', 'recording')).toBe('needs-attention')
  expect(of('safe', 'dismissed')).toBe('dismissed')
})
