/** The sizes of §8, which does not say whether its megabytes are decimal or binary. The server uses decimal ones. */
export const defaultMinPartBytes = 8_000_000
export const maxPartBytes = 512_000_000
export const defaultPartBytes = 64_000_000
/** The limit of S3-like stores. The contract states no limit. */
export const maxParts = 10_000

export type PartPlan = { readonly bytes: number; readonly part_size: number }

/** An empty file has one part of 0 bytes, so that it can be completed. */
export function partCount(plan: PartPlan): number {
  return Math.max(1, Math.ceil(plan.bytes / plan.part_size))
}

export function partBytes(plan: PartPlan, number: number): number {
  return Math.min(plan.part_size, plan.bytes - (number - 1) * plan.part_size)
}
