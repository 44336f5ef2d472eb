import { z } from 'zod'

/**
 * The longest delay and the largest clock offset. Far larger values make a timer overflow and fire at once, or make a
 * date invalid.
 */
const maxMs = 24 * 60 * 60 * 1000
const maxOffsetS = 100 * 366 * 24 * 60 * 60

export const clockOffsetSchema = z.number().min(-maxOffsetS).max(maxOffsetS)

/** Faults on demand, from a scenario file or the control endpoint. docs/sandbox.md has examples. */
const effectSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599),
    code: z.string().optional(),
    retry_after_s: z.number().min(0).optional(),
  }),
  z.strictObject({ kind: z.literal('latency'), ms: z.number().min(0).max(maxMs) }),
  z.strictObject({ kind: z.literal('drop'), when: z.enum(['before_body', 'after_body']) }),
  z.strictObject({ kind: z.literal('lose_answer') }),
  z.strictObject({ kind: z.literal('stall'), after_bytes: z.int().min(0) }),
  z.strictObject({ kind: z.literal('half_open') }),
  z.strictObject({ kind: z.literal('expired_url') }),
  z.strictObject({ kind: z.literal('corrupt_etag') }),
  z.strictObject({ kind: z.literal('html') }),
  z.strictObject({ kind: z.literal('truncated_json') }),
  z.strictObject({ kind: z.literal('bad_ids') }),
  z.strictObject({ kind: z.literal('negative_part_size') }),
  z.strictObject({ kind: z.literal('duplicate_event') }),
  z.strictObject({ kind: z.literal('reorder_events') }),
])

const faultRoutes = [
  'create',
  'retrieve',
  'complete',
  'list',
  'delete',
  'create_webhook_endpoint',
  'put_part',
  'webhook',
  'any',
] as const

/** The only effects on deliveries of events, because the receiver answers a delivery, not the sandbox. */
const deliveryEffects: readonly string[] = ['duplicate_event', 'reorder_events']

export const faultSchema = z
  .strictObject({
    route: z.enum(faultRoutes),
    /** How many matching requests the fault skips first. */
    after: z.int().min(0).default(0),
    /** How many matching requests the fault then affects. */
    count: z.int().min(1).default(1),
    match: z.strictObject({ part: z.int().min(1).optional() }).optional(),
    effect: effectSchema,
  })
  .refine(
    ({ route, effect }) => route === 'any' || (route === 'webhook') === deliveryEffects.includes(effect.kind),
    {
      path: ['effect', 'kind'],
      error: `the route "webhook" takes only the effects ${deliveryEffects.join(' and ')}; only the routes "webhook" and "any" take these effects`,
    },
  )

/** A scenario file: the faults and the clock offset with which the sandbox starts. */
export const scenarioSchema = z.strictObject({
  clock_offset_s: clockOffsetSchema.optional(),
  faults: z.array(faultSchema).default([]),
})

export type FaultEffect = z.infer<typeof effectSchema>
export type Fault = z.infer<typeof faultSchema>
export type Scenario = z.infer<typeof scenarioSchema>
