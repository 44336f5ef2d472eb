import { expect, test } from 'vitest'
import { rosbag2Files } from '../../../../shared/paths/rosbag2-files.ts'

test('reads the files that the metadata of rosbag2 lists', () => {
  const metadata =
    'rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths:\n    - bag_0.mcap\n    - "bag 1.mcap"\n  duration:\n    nanoseconds: 5\n  files:\n    - path: other\n'
  expect(rosbag2Files(metadata)).toEqual({ files: ['bag_0.mcap', 'bag 1.mcap'], isWhole: true })
  expect(rosbag2Files('damaged')).toEqual({ files: [], isWhole: false })
})

test('reads a list at the end of the metadata, and a list with the line breaks of Windows', () => {
  const lines = [
    'rosbag2_bagfile_information:',
    '  relative_file_paths:',
    '    - bag_0.mcap',
    '    - bag_1.mcap',
  ]
  expect(rosbag2Files(lines.join('\n')).files).toEqual(['bag_0.mcap', 'bag_1.mcap'])
  expect(rosbag2Files(`${lines.join('\r\n')}\r\n`).files).toEqual(['bag_0.mcap', 'bag_1.mcap'])
})

const listOf = (items: string) =>
  rosbag2Files(`rosbag2_bagfile_information:\n  relative_file_paths:\n${items}\n  version: 5\n`)

test.each([
  ["  - '#1 it''s_0.db3'\n  - bag_1.db3", ["#1 it's_0.db3", 'bag_1.db3']],
  [
    '    - bag_0.db3\r\n\r\n    # the last one\r\n    - folder\\bag_1.db3\r',
    ['bag_0.db3', 'folder\\bag_1.db3'],
  ],
  ['  - "bag #0: a_0.db3"\n  - -bag_1.db3', ['bag #0: a_0.db3', '-bag_1.db3']],
])('reads the whole list %j, which a different tool wrote', (items, files) => {
  expect(listOf(items)).toEqual({ files, isWhole: true })
})

test.each([
  '  - "K\\xFCche_0.db3"',
  '  - a long name\n    on two lines_0.db3',
  '  - "a long name\n    on two lines_0.db3"',
  '  -\n    bag_0.db3',
  '  - >-\n    bag_0.db3',
  '  - &name bag_0.db3',
  '  - !!str bag_0.db3',
  '  - bag_0.db3 # the first',
  '  - path: bag_0.db3',
  '  - [bag_0.db3]',
  '  - K\ufffdche_0.db3',
])('skips the item %j, and reports that the list is not whole', (item) => {
  expect(listOf(`${item}\n  - bag_1.db3`)).toEqual({ files: ['bag_1.db3'], isWhole: false })
})

test.each(['- ba', '- bag_0.db3\n', '- bag_0.db3\n-', '- bag_0.db3\nver', 'files:\n'])(
  'reports that a list is not whole if the metadata may be cut off after %j',
  (items) => {
    expect(rosbag2Files(`relative_file_paths:\n${items}`).isWhole).toBe(false)
  },
)

test.each(['\n', ' ', '- ', '- a\n', 'relative_file_paths:'])('reads 100 kB of "%s" quickly', (text) => {
  const startedMs = performance.now()
  rosbag2Files(text.repeat(100_000 / text.length))
  rosbag2Files(`relative_file_paths:\n- a${text.repeat(100_000 / text.length)}b`)
  expect(performance.now() - startedMs).toBeLessThan(1_000)
})
