import { z } from 'zod'
import { redact } from '../../../shared/redaction/redact.ts'
import { cutWords } from '../../../shared/words/escape-text.ts'
import { MAX_PARTS } from '../domain/part-plan.ts'
import { isUsableId } from '../domain/usable-id.ts'
import type { RemoteSession, RemoteUpload } from '../ports/service.ts'
import { isSafeAddress } from './addresses.ts'

/**
 * Schemas of the service's answers. The API may change during the private preview (§9.3), so the schemas accept unknown
 * fields and states. They are strict only about the values that an upload needs, such as ids, part sizes and addresses.
 * In other fields, an invalid value counts as missing.
 */

const id = z.string().refine(isUsableId, 'is not a usable id')

/** §2.1: times are in UTC, even without a zone. */
const time = z.string().transform((text, context) => {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/i.exec(text.trim())
  const ms = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}${match[3] ?? 'Z'}`)
  if (!Number.isNaN(ms)) return ms
  context.addIssue({ code: 'custom', message: 'is not a time' })
  return z.NEVER
})

// Messages never quote the value: a signed URL must not reach a log.
const address = z.string().refine(isSafeAddress, 'is not an https address')

const part = z.object({ number: z.int().positive(), url: address })

/** The part plan checks the part size. This schema limits only the number of parts. */
const upload = z
  .object({ part_size: z.number(), expires_at: time, parts: z.array(z.unknown()) })
  .transform(({ parts, ...rest }, context) => {
    // Parse no more parts than a session may have.
    const parsed = z.array(part).safeParse(parts.slice(0, MAX_PARTS))
    if (parsed.success) return { ...rest, parts: parsed.data }
    for (const { path, message } of parsed.error.issues.slice(0, 3))
      context.addIssue({ code: 'custom', path: ['parts', ...path], message })
    return z.NEVER
  })
  .superRefine(({ parts }, context) => {
    if (new Set(parts.map(({ number }) => number)).size === parts.length) return
    context.addIssue({ code: 'custom', path: ['parts'], message: 'contains a part number twice' })
  })
  .transform(
    (value): RemoteUpload => ({
      partSizeBytes: value.part_size,
      expiresAtMs: value.expires_at,
      parts: value.parts.toSorted((a, b) => a.number - b.number),
    }),
  )

/** Without these limits for texts and lists, an answer could add megabytes to the journal. */
const MAX_TEXT_CHARS = 2_000
const MAX_CHANNELS = 2_000
const MAX_ISSUES = 200
const cut = (text: string) => text.slice(0, MAX_TEXT_CHARS)

const shownText = z.string().transform(cut).nullable().catch(null).default(null)
const shownCount = z.int().nonnegative().nullable().catch(null).default(null)

/** A text of the service, shortened and redacted, because it may appear in problems, notices and the journal. */
const sentence = z.string().transform((text) => redact(cutWords(text, MAX_TEXT_CHARS)))

const issue = z.object({
  code: sentence,
  severity: z.enum(['info', 'warning', 'error']).catch('warning'),
  channel: sentence.optional().catch(undefined),
  detail: sentence.optional().catch(undefined),
})

/** Drops the invalid items of a list, because no upload depends on them. */
const validItemsOf = <T extends z.ZodType>(item: T, maxItems: number) =>
  z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform(
      (values) =>
        values.slice(0, maxItems).flatMap((value) => item.safeParse(value).data ?? []) as z.output<T>[],
    )

const sessionFields = z.object({
  id,
  status: z.string().min(1).max(100),
  site: shownText,
  device: shownText,
  filename: shownText,
  bytes: shownCount,
  sha256: shownText,
  recorded_at: shownText,
  duration_s: z.number().nonnegative().nullable().catch(null).default(null),
  channels: validItemsOf(z.string().transform(cut), MAX_CHANNELS),
  segment_count: shownCount,
  issues: validItemsOf(issue, MAX_ISSUES),
  notes: shownText,
  created_at: shownText,
  processed_at: shownText,
})

const toSession = (value: z.output<typeof sessionFields>, upload: RemoteUpload | null): RemoteSession => ({
  id: value.id,
  status: value.status,
  site: value.site,
  device: value.device,
  filename: value.filename,
  bytes: value.bytes,
  sha256: value.sha256?.toLowerCase() ?? null,
  recordedAt: value.recorded_at,
  durationS: value.duration_s,
  channels: value.channels,
  segmentCount: value.segment_count,
  issues: value.issues.map(({ code, severity, channel, detail }) => ({
    code,
    severity,
    ...(channel === undefined ? {} : { channel }),
    ...(detail === undefined ? {} : { detail }),
  })),
  notes: value.notes,
  createdAt: value.created_at,
  processedAt: value.processed_at,
  upload,
})

/** §2.3 lists neither `sha256` nor `bytes`. If the service sends them, Sluice compares them with the recording. */
export const createdAnswer = z.object({
  id,
  upload,
  sha256: z.string().max(MAX_TEXT_CHARS).optional().catch(undefined),
  bytes: z.number().optional().catch(undefined),
})

/** Whether the service lists the missing parts. If not, no part counts as missing. */
const listsParts = (upload: unknown): boolean =>
  typeof upload === 'object' && upload !== null && 'parts' in upload && upload.parts != null

/** Ignores `upload` in every state but `uploading` (§4.4). */
export const sessionAnswer = sessionFields
  .extend({ upload: z.unknown().optional() })
  .transform((value, context) => {
    if (value.status !== 'uploading' || !listsParts(value.upload)) return toSession(value, null)
    const parsed = upload.safeParse(value.upload)
    if (parsed.success) return toSession(value, parsed.data)
    for (const { path, message } of parsed.error.issues) {
      context.addIssue({ code: 'custom', path: ['upload', ...path], message })
    }
    return z.NEVER
  })

/** Sluice sends the cursor back unchanged (§2.5). */
const cursor = z.string().max(8_192).nullable().catch(null).default(null)

const listedSession = sessionFields.transform((value) => toSession(value, null))

const withSha256 = z.object({ sha256: z.string().max(100).toLowerCase() })

/** §2.5. Skips invalid sessions, so that the rest of the page is usable. */
export const listAnswer = z
  .object({ data: z.array(z.unknown()), has_more: z.boolean(), next_cursor: cursor })
  .transform((value) => {
    const items = value.data.map((item) => ({ item, session: listedSession.safeParse(item).data }))
    const sessions = items.flatMap(({ session }) => session ?? [])
    return {
      sessions,
      unreadable: value.data.length - sessions.length,
      unreadableSha256: items.flatMap(({ item, session }) =>
        session === undefined ? (withSha256.safeParse(item).data?.sha256 ?? []) : [],
      ),
      nextCursor: value.has_more && value.next_cursor !== '' ? value.next_cursor : null,
      isCutOff: value.has_more && (value.next_cursor ?? '') === '',
    }
  })

export const deletedAnswer = z.object({ id, object: z.literal('session'), deleted: z.literal(true) })

export const webhookAnswer = z.object({ id, secret: z.string().min(1) })

/** For example: "upload.parts.3.url: is not an https address". Contains paths and reasons, never values. */
export const describeMismatch = (error: z.ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.map(String).join('.') || 'the answer'}: ${issue.message}`)
    .join('; ')
