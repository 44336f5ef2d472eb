import { z } from 'zod'
import {
  channelSignals,
  completenesses,
  type Inspection,
  inspectionWarningCodes,
  recordingFormats,
} from './inspection.ts'

const text = z.string().max(2_000)
const number = z.number().nullable()
const instant = z.iso.datetime().nullable()

/** An inspection in `status --json` and in receipts. Timelines are left out, because only a chart needs them. */
export const inspectionJsonSchema = z.strictObject({
  format: z.enum(recordingFormats),
  completeness: z.enum(completenesses),
  started_at: instant,
  ended_at: instant,
  duration_s: number,
  channels: z
    .array(
      z.strictObject({
        name: text,
        type: text.nullable(),
        messages: number,
        rate_hz: number,
        largest_gap_s: number,
        signal: z.enum(channelSignals).optional(),
      }),
    )
    .max(1_000),
  warnings: z
    .array(z.strictObject({ code: z.enum(inspectionWarningCodes), detail: text, channel: text.optional() }))
    .max(100),
})

export type InspectionJson = z.output<typeof inspectionJsonSchema>

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

export const inspectionJson = (inspection: Inspection): InspectionJson => ({
  format: inspection.format,
  completeness: inspection.completeness,
  started_at: isoOf(inspection.startedAtMs),
  ended_at: isoOf(inspection.endedAtMs),
  duration_s: inspection.durationS,
  channels: inspection.channels.map(({ name, type, messages, rateHz, largestGapS, signal }) => ({
    name,
    type,
    messages,
    rate_hz: rateHz,
    largest_gap_s: largestGapS,
    ...(signal === undefined ? {} : { signal }),
  })),
  warnings: [...inspection.warnings],
})
