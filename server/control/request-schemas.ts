import { z } from 'zod'
import type { CompleteSessionRequest, EventType } from '../../shared/contract/control-api.ts'
import { type Checked, invalid, value } from '../answer.ts'
import { isLoopback } from '../loopback.ts'
import { defaultPartBytes, maxPartBytes, maxParts, partCount } from '../part-plan.ts'

/** Text that every database can store: no lone surrogates, no NUL. */
function text(maxLength: number) {
  return z
    .string()
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((input) => input.isWellFormed() && !input.includes('\0'), 'must be valid Unicode without NUL')
}

function name(maxLength: number) {
  return text(maxLength)
    .refine((input) => input.trim() !== '', 'must not be empty')
    .refine((input) => !/\p{Cc}/u.test(input), 'must not contain control characters')
}

const filename = name(255).refine(
  (input) => !/[/\\]/.test(input) && input !== '.' && input !== '..',
  'must be a file name, not a path',
)

const wholeNumber = z.int('must be a whole number').min(0, 'must not be negative')

const createSessionSchema = z.object({
  site: name(200),
  filename,
  bytes: wholeNumber,
  sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hex digits'),
  part_size: wholeNumber.max(maxPartBytes, `must be at most ${maxPartBytes}`).optional(),
  device: name(200).optional(),
  notes: text(10_000).optional(),
})

export type NewSessionInput = z.infer<typeof createSessionSchema> & { readonly part_size: number }

/** §4.1, §8 */
export function checkCreateSession(body: unknown, minPartBytes: number): Checked<NewSessionInput> {
  const result = check(createSessionSchema, body)
  if (result.kind === 'refusal') return result
  const { part_size = Math.max(defaultPartBytes, minPartBytes), ...rest } = result.value
  const input = { ...rest, part_size }
  // The minimum is an option of the server, so it is not in the schema: a schema for each request would be slow.
  if (part_size < minPartBytes) {
    return invalid('part_size', `part_size: must be at least ${minPartBytes}.`)
  }
  if (input.bytes > maxParts * maxPartBytes) {
    return invalid('bytes', `bytes must be at most ${maxParts * maxPartBytes}.`)
  }
  if (partCount(input) > maxParts) {
    const message = `part_size is too small: ${input.bytes} bytes would need more than ${maxParts} parts.`
    return invalid('part_size', message)
  }
  return value({ ...input, sha256: input.sha256.toLowerCase() })
}

const completeSchema = z.object({
  parts: z
    .array(z.object({ number: z.int().min(1), etag: z.string().min(1).max(200) }))
    .max(maxParts, `must have at most ${maxParts} items`),
})

/** §4.3: one item for every part, in order. */
export function checkComplete(body: unknown, expectedParts: number): Checked<CompleteSessionRequest> {
  const result = check(completeSchema, body)
  if (result.kind === 'refusal') return result
  const listedParts = result.value.parts
  for (const [index, part] of listedParts.entries()) {
    if (part.number !== index + 1) {
      return invalid(
        `parts[${index}].number`,
        `parts must name every part in order; expected ${index + 1} here.`,
      )
    }
  }
  if (listedParts.length !== expectedParts)
    return invalid('parts', `parts must have ${expectedParts} items, one for every part.`)
  return value(result.value)
}

const eventNames = [
  'session.processed',
  'session.failed',
  'export.completed',
  'export.failed',
] as const satisfies readonly EventType[]

const webhookEndpointSchema = z.object({
  url: z
    .string()
    .max(2_000, 'must have at most 2000 characters')
    .refine(isCallableUrl, 'must be an https URL (http only for this computer)'),
  events: z
    .array(z.enum(eventNames, `must be one of ${eventNames.join(', ')}`))
    .min(1, 'must name at least one event')
    .max(100, 'must have at most 100 items'),
})

export type NewWebhookEndpoint = z.infer<typeof webhookEndpointSchema>

/** §4.7 */
export function checkWebhookEndpoint(body: unknown): Checked<NewWebhookEndpoint> {
  const result = check(webhookEndpointSchema, body)
  if (result.kind === 'refusal') return result
  return value({ url: result.value.url, events: [...new Set(result.value.events)] })
}

function isCallableUrl(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

/** Reports the first error as in §7: `body_invalid`, or `parameter_invalid` and the name of the parameter. */
function check<T>(schema: z.ZodType<T>, body: unknown): Checked<T> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return invalid('', 'The body must be a JSON object.', 'body_invalid')
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return value(parsed.data)
  const issue = parsed.error.issues[0]!
  const param = issue.path.reduce<string>(appendPath, '')
  return invalid(param, `${param}: ${issue.message}.`)
}

function appendPath(path: string, key: PropertyKey): string {
  if (typeof key === 'number') return `${path}[${key}]`
  return path === '' ? String(key) : `${path}.${String(key)}`
}
