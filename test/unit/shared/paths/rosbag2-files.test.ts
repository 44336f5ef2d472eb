import { expect, test } from 'vitest'
import { rosbag2Files } from '../../../../shared/paths/rosbag2-files.ts'

test('reads the files that the metadata of rosbag2 lists', () => {
  const metadata =
    'rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths:\n    - bag_0.mcap\n    - "bag 1.mcap"\n  duration:\n    nanoseconds: 5\n  files:\n    - path: other\n'
  expect(rosbag2Files(metadata)).toEqual(['bag_0.mcap', 'bag 1.mcap'])
  expect(rosbag2Files('damaged')).toEqual([])
})

test('reads the files that the metadata lists at its end, and on Windows', () => {
  const lines = [
    'rosbag2_bagfile_information:',
    '  relative_file_paths:',
    '    - bag_0.mcap',
    '    - bag_1.mcap',
  ]
  expect(rosbag2Files(lines.join('\n'))).toEqual(['bag_0.mcap', 'bag_1.mcap'])
  expect(rosbag2Files(`${lines.join('\r\n')}\r\n`)).toEqual(['bag_0.mcap', 'bag_1.mcap'])
})

test.each(['\n', ' ', '- ', '- a\n', 'relative_file_paths:'])('reads 100 kB of "%s" quickly', (text) => {
  const startedMs = performance.now()
  rosbag2Files(text.repeat(100_000 / text.length))
  rosbag2Files(`relative_file_paths:\n- a${text.repeat(100_000 / text.length)}b`)
  expect(performance.now() - startedMs).toBeLessThan(1_000)
})
