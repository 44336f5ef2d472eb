import type { SessionIssue } from '../../shared/contract/control-api.ts'
import { inspect as inspectContent } from '../../shared/formats/inspect.ts'
import type { Inspection as FileInspection, InspectionWarningCode } from '../../shared/status/inspection.ts'
import { channelName, channelNames, emptyInspection, type Inspection } from './findings.ts'
import type { Recording } from './recording.ts'

/** The channel of a file by its name, for content that no inspector recognises. */
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

/** The time limit of one inspection, because other sessions wait for it. A file without an index is read completely. */
const timeMs = 60_000

const issueCodes: Readonly<Record<InspectionWarningCode, string>> = {
  damaged: 'file_unreadable',
  'no-messages': 'no_messages',
  'compression-unknown': 'compression_unknown',
  'chunk-too-large': 'chunk_too_large',
  'no-time-column': 'no_time_column',
  'time-unreadable': 'time_unreadable',
  'too-many-channels': 'too_many_channels',
  'not-readable': 'inspection_incomplete',
  'not-finished': 'end_missing',
  'metadata-differs': 'metadata_differs',
  'images-missing': 'images_missing',
  'images-differ': 'images_differ',
  'took-too-long': 'inspection_incomplete',
}

/** The system killed the process that inspects, perhaps because of the recording. */
export class InspectionKilledError extends Error {}

/** Inspects the content of a file. Bad content is a finding, not a rejection. */
export type InspectFile = (
  file: { readonly name: string; readonly size: number; readonly read: Recording['read'] },
  timeMs: number,
  signal: AbortSignal,
) => Promise<FileInspection>

/** Inspects in this thread. Only for the sandbox, which gets only files from its own computer. */
export const inspectHere: InspectFile = (file, timeMs, signal) =>
  inspectContent(file, { clock: { monotonicMs: () => performance.now() }, timeMs, signal })

/** Uses the station's inspectors, so that station and service report the same about a file. */
export async function inspect(
  name: string,
  recording: Recording,
  inspectFile: InspectFile,
  signal: AbortSignal,
): Promise<Inspection> {
  if (recording.bytes === 0) {
    return emptyInspection({ code: 'file_empty', severity: 'error', detail: 'The file is empty.' })
  }
  const { bytes: size, read } = recording
  const inspection = await inspectFile({ name, size, read }, timeMs, signal)
  const isUnknown = inspection.format === 'other' && inspection.warnings.length === 0
  return isUnknown ? inspectName(name) : inspectionOf(inspection)
}

function inspectionOf(inspection: FileInspection): Inspection {
  return {
    channels: channelNames(inspection.channels.map(({ name }) => name)),
    startMs: inspection.startedAtMs,
    durationS: inspection.durationS,
    issues: issuesOf(inspection),
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

function inspectName(name: string): Inspection {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  const channel = Object.hasOwn(channelByExtension, extension) ? channelByExtension[extension] : undefined
  if (channel !== undefined) return { channels: [channel], startMs: null, durationS: null, issues: [] }
  const detail = 'The format is unknown. The file is kept unchanged.'
  return emptyInspection({ code: 'format_unknown', severity: 'info', detail })
}
