import type { FaultPlan } from '../fault-engine.ts'

/** Faults that change what an answer says, for clients that must not believe everything. */
export function spoilBody(body: unknown, plan: FaultPlan): unknown {
  if (typeof body !== 'object' || body === null) return body
  const spoiled: Record<string, unknown> = { ...body }
  if (plan.badIds && 'id' in spoiled) spoiled.id = '../../ses_\u0000not-an-id'
  if (plan.negativePartSize && typeof spoiled.upload === 'object') {
    spoiled.upload = { ...spoiled.upload, part_size: -1 }
  }
  return spoiled
}
