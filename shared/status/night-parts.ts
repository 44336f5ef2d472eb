import { type Standing, standings } from './standing.ts'

/** The parts of the night bar, in order. Each standing is in exactly one part, so the parts add up to the total. */
export const nightParts = ['safe', 'at-service', 'here', 'needs-attention', 'dismissed', 'elsewhere'] as const
export type NightPart = (typeof nightParts)[number]

export const standingsIn: Readonly<Record<NightPart, readonly Standing[]>> = {
  safe: ['safe'],
  'at-service': ['at-service'],
  here: ['recording', 'waiting', 'uploading'],
  'needs-attention': ['needs-attention'],
  dismissed: ['dismissed'],
  elsewhere: ['elsewhere'],
}

export const partOf = (standing: Standing): NightPart =>
  nightParts.find((part) => standingsIn[part].includes(standing)) ?? 'here'

type Counts = Readonly<Record<Standing, number>>

export const totalOf = (counts: Counts): number =>
  standings.reduce((sum, standing) => sum + counts[standing], 0)

export const countIn = (counts: Counts, part: NightPart): number =>
  standingsIn[part].reduce((sum, standing) => sum + counts[standing], 0)
