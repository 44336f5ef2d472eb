import { type StandingCondition, type StandingContext, standingRules } from '../domain/standing.ts'

const conditionSql: Readonly<Record<StandingCondition, string>> = {
  'on-purpose': "ends_by IN ('folder', 'dismissed')",
  attention: "ends_by IS NOT NULL AND ends_by <> 'time'",
  problem: 'ends_by IS NOT NULL',
  'current-service': 'service = ?',
  sending: 'ends_by IS NULL AND paused = 0 AND ? AND (? IS NULL OR id IN (SELECT value FROM json_each(?)))',
  always: 'TRUE',
}

const uploadingIdsJson = ({ uploadingIds }: StandingContext): string | null =>
  uploadingIds === undefined ? null : JSON.stringify(uploadingIds)

const valuesOf = (when: StandingCondition, context: StandingContext): readonly unknown[] => {
  switch (when) {
    case 'current-service':
      return [context.service]
    case 'sending':
      return [Number(context.sending), uploadingIdsJson(context), uploadingIdsJson(context)]
    case 'on-purpose':
    case 'attention':
    case 'problem':
    case 'always':
      return []
  }
}

/** The rules of `domain/standing.ts` as an SQL expression, so that lists and figures agree. */
export const standingSql = (
  context: StandingContext,
): { readonly sql: string; readonly values: readonly unknown[] } => {
  const whens = standingRules.map(
    ({ states, when, standing }) =>
      `WHEN state IN (${states.map((state) => `'${state}'`).join(', ')}) AND ${conditionSql[when]} THEN '${standing}'`,
  )
  return {
    sql: `CASE ${whens.join(' ')} END`,
    values: standingRules.flatMap(({ when }) => valuesOf(when, context)),
  }
}
