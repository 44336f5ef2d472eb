/** §8, read in decimal megabytes: the widest lower bound and the narrowest upper one. */
export const defaultMinPartBytes = 8_000_000
export const maxPartBytes = 512_000_000
export const defaultPartBytes = 64_000_000
/** Not in the contract: the limit of the S3-like stores that its signed URLs come from. */
export const maxParts = 10_000

export type PartPlan = { readonly bytes: number; readonly part_size: number }

/** An empty file still has one part, of no bytes, so that there is something to complete. */
export function partCount(plan: PartPlan): number {
  return Math.max(1, Math.ceil(plan.bytes / plan.part_size))
}

export function partBytes(plan: PartPlan, number: number): number {
  return Math.min(plan.part_size, plan.bytes - (number - 1) * plan.part_size)
}
