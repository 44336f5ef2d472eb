import type { FaultPlan } from './fault-engine.ts'

export function corruptBody(body: unknown, plan: FaultPlan): unknown {
  if (typeof body !== 'object' || body === null) return body
  const corrupted: Record<string, unknown> = { ...body }
  if (plan.badIds && 'id' in corrupted) corrupted.id = '../../ses_\u0000not-an-id'
  if (plan.negativePartSize && typeof corrupted.upload === 'object') {
    corrupted.upload = { ...corrupted.upload, part_size: -1 }
  }
  return corrupted
}
