import { readdirSync, readFileSync } from 'node:fs'
import type { ByteSource } from '../../../shared/formats/bounded-reader.ts'
import { lz4, zstd } from '../../contract/compressions.ts'
import { mcapFile } from '../../contract/sample-files.ts'
import { cameraMcapFile } from './camera-mcap.ts'

export type RecordedFile = { readonly name: string; readonly bytes: Buffer }

/**
 * Files that other programs wrote, at most 32 KB each:
 * - ffmpeg 5.1: camera.mp4, faststart.mp4 (`-movflags +faststart`), fragmented.mp4 (`frag_keyframe+empty_moov`),
 *   camera.mov, camera.mkv, killed.mkv (`kill -9`), stream.mkv and stream.wav (written to a pipe), rf64.wav
 *   (`-rf64 always`), float.wav, most images
 * - GStreamer 1.22: killed-gst.mkv (`kill -9`)
 * - cjpeg 2.1: restarts.jpg (`-restart 1`), progressive.jpg (`-progressive`)
 * - sox 14.4: mic.wav, silent.wav, half-silent.wav; flac 1.4: mic.flac
 * - h5py 3.7: episode.h5 (`libver='earliest'`), latest.h5 (`libver='latest'`), links.h5 (soft and external links),
 *   dense.h5 (`libver='latest'`, 13 members), ordered.h5 (`track_order=True`, 13 members), user-block.h5
 *   (`userblock_size=512`)
 * - rosbag 1.15 of ROS 1: run.bag, whose channel /camera/wrist stops half-way; gap.bag, whose only chunk has a gap;
 *   empty.bag
 * - sqlite3 3.40 with the tables of rosbag2: bag_0.db3, cameras_0.db3 (pages of 512 bytes, and messages that need more
 *   than a page); metadata.yaml, as the recorder of rosbag2 would write it for bag_0.db3
 * - hyparquet-writer 0.16: episode.parquet
 */
const folder = new URL('../../unit/shared/formats/files/', import.meta.url)

export const storedFile = (name: string): RecordedFile => ({
  name,
  bytes: readFileSync(new URL(name, folder)),
})

/** One file of every format and layout. */
export const recordedFiles = async (): Promise<readonly RecordedFile[]> => [
  ...readdirSync(folder).map(storedFile),
  { name: 'indexed.mcap', bytes: await mcapFile() },
  { name: 'zstd.mcap', bytes: await mcapFile({ compress: zstd }) },
  { name: 'lz4.mcap', bytes: await mcapFile({ layout: 'chunks', compress: lz4 }) },
  { name: 'chunks.mcap', bytes: await mcapFile({ layout: 'chunks', compress: zstd }) },
  { name: 'bare.mcap', bytes: await mcapFile({ layout: 'bare' }) },
  { name: 'partial.mcap', bytes: await mcapFile({ layout: 'partial' }) },
  {
    name: 'cameras.mcap',
    bytes: await cameraMcapFile([storedFile('image.jpg').bytes, storedFile('image.png').bytes], zstd),
  },
  { name: 'log.csv', bytes: Buffer.from('time,speed\n1700000000,1\n1700000001,2\n') },
]

export type CountedSource = ByteSource & {
  readonly counts: { reads: number; bytes: number; largest: number }
}

/** An in-memory source. Its only sibling file is a complete rosbag2 `metadata.yaml`. */
export const sourceOf = ({ name, bytes }: RecordedFile): CountedSource => {
  const counts = { reads: 0, bytes: 0, largest: 0 }
  return {
    name,
    size: bytes.length,
    counts,
    read: async (offset, length) => {
      counts.reads += 1
      counts.bytes += length
      counts.largest = Math.max(counts.largest, length)
      return bytes.subarray(offset, offset + length)
    },
    openBeside: async (other) => (other === 'metadata.yaml' ? sourceOf(storedFile(other)) : null),
  }
}

/** Each read of the clock advances the clock, so that an inspection ends at the same point on any computer. */
export const limitsByClockReads = (reads = 20_000) => {
  let now = 0
  return { clock: { monotonicMs: () => now++ }, timeMs: reads }
}
