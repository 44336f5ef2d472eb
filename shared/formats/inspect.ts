import type { Inspection, RecordingFormat } from '../status/inspection.ts'
import {
  BoundedReader,
  type ByteSource,
  EndOfFileError,
  type InspectionLimits,
  SourceError,
  TimeLimitError,
  TooLargeError,
} from './bounded-reader.ts'
import { csv } from './csv.ts'
import { Findings } from './findings.ts'
import { flac } from './flac.ts'
import { type EndMark, type Format, HEAD_BYTES } from './format.ts'
import { hdf5, isHdf5WithUserBlock } from './hdf5.ts'
import { jpeg, png } from './images.ts'
import { mcap } from './mcap.ts'
import { mkv } from './mkv.ts'
import { mov, mp4 } from './mp4.ts'
import { parquet } from './parquet.ts'
import { rosbag1 } from './rosbag1.ts'
import { rosbag2Database } from './rosbag2.ts'
import { rosbag2Metadata } from './rosbag2-metadata.ts'
import { wav } from './wav.ts'

const formats: readonly Format[] = [
  mcap,
  rosbag1,
  rosbag2Database,
  rosbag2Metadata,
  mp4,
  mov,
  mkv,
  wav,
  flac,
  hdf5,
  parquet,
  jpeg,
  png,
  csv,
]

async function formatOf(reader: BoundedReader): Promise<Format | null> {
  const head = await reader.readUpTo(0, HEAD_BYTES)
  const fileName = reader.source.name.toLowerCase()
  const format = formats.find(({ matches }) => matches(head, fileName))
  return format ?? ((await isHdf5WithUserBlock(reader)) ? hdf5 : null)
}

/** Finds the format of a file and whether it has its proper end. Rejects in the same cases as `inspect`. */
export async function findEnd(
  source: ByteSource,
  limits: InspectionLimits,
): Promise<{ readonly format: RecordingFormat; readonly end: EndMark }> {
  const reader = new BoundedReader(source, limits)
  let format: Format | null = null
  try {
    format = await formatOf(reader)
    return { format: format?.name ?? 'other', end: (await format?.findEnd(reader)) ?? 'unmarked' }
  } catch (error) {
    throwIfNotAboutContent(error, limits)
    const end = error instanceof EndOfFileError ? 'cut-off' : 'unmarked'
    return { format: format?.name ?? 'other', end }
  }
}

/** Inspects a file. Rejects only if the source cannot be read or the signal aborts; bad content is a finding. */
export async function inspect(source: ByteSource, limits: InspectionLimits): Promise<Inspection> {
  const reader = new BoundedReader(source, limits)
  let findings = new Findings('other')
  try {
    const format = await formatOf(reader)
    findings = new Findings(format?.name ?? 'other')
    await format?.inspect(reader, findings)
  } catch (error) {
    throwIfNotAboutContent(error, limits)
    const detail = error instanceof Error ? error.message : String(error)
    if (error instanceof TimeLimitError) {
      findings.hasMoreMessages = true
      findings.warn('took-too-long', detail)
    } else if (error instanceof EndOfFileError) findings.completeness = 'cut-off'
    else {
      // Any other error also means damaged content: a library may have thrown it.
      if (findings.completeness === 'complete') findings.completeness = 'unknown'
      findings.warn(error instanceof TooLargeError ? 'chunk-too-large' : 'damaged', detail)
    }
  }
  return findings.toInspection()
}

function throwIfNotAboutContent(error: unknown, { signal }: InspectionLimits): void {
  if (error instanceof SourceError) throw error.cause
  signal?.throwIfAborted()
}
