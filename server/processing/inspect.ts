import { type Inspection, nothingFound } from './findings.ts'
import { inspectCsv } from './inspect-csv.ts'
import { inspectMcap } from './inspect-mcap.ts'
import { inspectWav } from './inspect-wav.ts'
import type { Recording } from './recording.ts'

/** For these formats, the service reads only the file name. */
const channelByExtension: Readonly<Record<string, string>> = {
  mp4: 'video',
  mkv: 'video',
  mov: 'video',
  avi: 'video',
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  bag: 'ros',
  db3: 'ros',
  pcap: 'network',
  pcapng: 'network',
  las: 'pointcloud',
  ply: 'pointcloud',
  pcd: 'pointcloud',
  json: 'text',
  txt: 'text',
  log: 'text',
}

/** §2.2: the file name determines the format. */
export async function inspect(filename: string, recording: Recording): Promise<Inspection> {
  if (recording.bytes === 0) {
    return nothingFound({ code: 'file_empty', severity: 'error', detail: 'The file is empty.' })
  }
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''
  switch (extension) {
    case 'mcap':
      return inspectMcap(recording)
    case 'wav':
      return inspectWav(recording)
    case 'csv':
      return inspectCsv(recording)
  }
  const channel = Object.hasOwn(channelByExtension, extension) ? channelByExtension[extension] : undefined
  if (channel !== undefined) return { channels: [channel], startMs: null, durationS: null, issues: [] }
  const detail = 'The format is not known; the file is kept as it is.'
  return nothingFound({ code: 'format_unknown', severity: 'info', detail })
}
