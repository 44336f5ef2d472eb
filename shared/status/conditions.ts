import type { Condition, ConditionCode } from './condition.ts'
import { stoppingConditions } from './stopping-conditions.ts'
import { warningConditions } from './warning-conditions.ts'

/** The most serious condition first. */
export const conditions = { ...stoppingConditions, ...warningConditions }

export type ConditionName = keyof typeof conditions
type CodesOf<Name extends ConditionName> = keyof (typeof conditions)[Name]['codes']
export type ConditionProblemCode = { [Name in ConditionName]: CodesOf<Name> }[ConditionName]

export const conditionNames = Object.keys(conditions) as readonly ConditionName[]

/** Typed as `Condition`, so that callers can compare its fields with any value. */
export const conditionOf = (name: ConditionName): Condition => conditions[name]

const codesByName = conditionNames.map((name) => [name, conditionOf(name).codes] as const)

export const conditionProblemCodes = [
  ...new Set(codesByName.flatMap(([, codes]) => Object.keys(codes))),
] as readonly ConditionProblemCode[]

/** The text and words of a code, or undefined if no condition has it. */
export const conditionCodeOf = (code: string): ConditionCode | undefined =>
  codesByName.find(([, codes]) => Object.hasOwn(codes, code))?.[1][code]

/** The most serious condition that can have this code, or null for a problem of a recording or folder. */
export const conditionWithCode = (code: string): ConditionName | null =>
  codesByName.find(([, codes]) => Object.hasOwn(codes, code))?.[0] ?? null

/** Whether a condition with this code stops requests or parts. */
export const stopsUploads = (code: string): boolean => {
  const name = conditionWithCode(code)
  return name !== null && conditionOf(name).stops.length > 0
}

export const probeOf = (name: ConditionName, code: string): Condition['probe'] =>
  conditionOf(name).codes[code]?.probe ?? conditionOf(name).probe

/** The state of a station while a condition with this code stops uploads and nobody has to act. */
export const stationStateOf = (code: string): Condition['stationState'] => {
  const name = conditionWithCode(code)
  return name === null ? 'offline' : conditionOf(name).stationState
}
