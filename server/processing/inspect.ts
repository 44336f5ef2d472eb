import type { SessionIssue } from '../../shared/contract/control-api.ts'
import { inspect as inspectFile } from '../../shared/formats/inspect.ts'
import type { Inspection as FileInspection, InspectionWarningCode } from '../../shared/status/inspection.ts'
import { channelName, channelNames, type Inspection, nothingFound } from './findings.ts'
import type { Recording } from './recording.ts'

/** If no inspector recognises the content, only the file name suggests a format. */
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

/** Limits the time: a file without an index is read completely, and the sandbox processes one session at a time. */
const timeMs = 60_000

const issueCodes: Readonly<Record<InspectionWarningCode, string>> = {
  damaged: 'file_unreadable',
  'no-messages': 'no_messages',
  'compression-unknown': 'compression_unknown',
  'chunk-too-large': 'chunk_too_large',
  'no-time-column': 'no_time_column',
  'time-unreadable': 'time_unreadable',
  'too-many-channels': 'too_many_channels',
  'took-too-long': 'inspection_incomplete',
}

/** Uses the station's inspectors, so that station and service report the same about a file. */
export async function inspect(name: string, recording: Recording, signal: AbortSignal): Promise<Inspection> {
  if (recording.bytes === 0) {
    return nothingFound({ code: 'file_empty', severity: 'error', detail: 'The file is empty.' })
  }
  const { bytes: size, read } = recording
  const clock = { monotonicMs: () => performance.now() }
  const found = await inspectFile({ name, size, read }, { clock, timeMs, signal })
  return found.format === 'other' ? byName(name) : inspectionOf(found)
}

function inspectionOf(found: FileInspection): Inspection {
  return {
    channels: channelNames(found.channels.map(({ name }) => name)),
    startMs: found.startedAtMs,
    durationS: found.durationS,
    issues: issuesOf(found),
  }
}

function issuesOf({ completeness, warnings, format }: FileInspection): SessionIssue[] {
  if (completeness === 'cut-off') {
    const detail = `The ${format.toUpperCase()} file is incomplete.`
    return [{ code: 'file_truncated', severity: 'error', detail }]
  }
  const damage = warnings.find(({ code }) => code === 'damaged')
  if (damage !== undefined)
    return [{ code: issueCodes.damaged, severity: 'error', detail: damage.detail.slice(0, 500) }]
  return warnings.map(({ code, detail, channel }) => ({
    code: issueCodes[code],
    severity: 'warning',
    detail,
    ...(channel === undefined ? {} : { channel: channelName(channel) }),
  }))
}

function byName(name: string): Inspection {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const channel = Object.hasOwn(channelByExtension, extension) ? channelByExtension[extension] : undefined
  if (channel !== undefined) return { channels: [channel], startMs: null, durationS: null, issues: [] }
  const detail = 'The format is unknown. The file is kept unchanged.'
  return nothingFound({ code: 'format_unknown', severity: 'info', detail })
}
