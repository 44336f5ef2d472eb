import { z } from 'zod'
import { type DraftSettings, draftSettingsSchema, type Settings, settingsSchema } from './settings.ts'

/**
 * The settings that an administrator rolls out: the settings schema with every field optional. They override the user's own
 * settings field by field; a list is replaced as a whole. A managed `service.base_url` replaces the whole `service`
 * section, so that the user's proxy or key is never used for the administrator's service.
 */
type WithoutRemark = Omit<Settings, '$schema'>
export type ManagedSettings = {
  readonly [S in keyof WithoutRemark]?: WithoutRemark[S] extends readonly unknown[]
    ? WithoutRemark[S]
    : Partial<WithoutRemark[S]>
}

/** Removes defaults, so that a field that the administrator does not set is not locked to its default. */
const bare = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? bare(schema.unwrap())
    : schema

const eachOptional = (
  shape: Readonly<Record<string, z.core.$ZodType>>,
  of: (schema: z.core.$ZodType) => z.core.$ZodType,
) => z.strictObject(Object.fromEntries(Object.entries(shape).map(([k, v]) => [k, z.optional(of(bare(v)))])))

export const managedSettingsSchema = eachOptional(settingsSchema.shape, (section) =>
  section instanceof z.ZodObject ? eachOptional(section.shape, (field) => field) : section,
)
  .superRefine((value, context) => {
    const { service } = value as ManagedSettings
    if (service === undefined || service.base_url !== undefined) return
    for (const field of ['api_key', 'api_key_file'] as const)
      if (service[field] !== undefined)
        context.addIssue({
          code: 'custom',
          path: ['service', field],
          message: 'add service.base_url, so that the key is sent to no other address',
        })
  })
  .transform((value): ManagedSettings => {
    const { $schema: _remark, ...managed } = value as { $schema?: string } & ManagedSettings
    return managed
  })

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The settings that the user cannot change: "folders", "service", "transfer.parallel_parts". */
export const lockedBy = (managed: ManagedSettings | null): readonly string[] =>
  Object.entries(managed ?? {}).flatMap(([name, value]) =>
    isSection(value) && !isWhole(name, value)
      ? Object.keys(value).map((field) => `${name}.${field}`)
      : [name],
  )

const isWhole = (name: string, section: Readonly<Record<string, unknown>>): boolean =>
  name === 'service' && section.base_url !== undefined

/** The settings in force: the managed ones over the user's own. */
export const withManaged = (own: DraftSettings, managed: ManagedSettings | null): DraftSettings => {
  if (managed === null) return own
  const merged: Record<string, unknown> = { ...own }
  for (const [name, value] of Object.entries(managed)) {
    if (!isSection(value) || isWhole(name, value)) merged[name] = value
    // Without its own address, the station has no service section to merge into.
    else if (name !== 'service' || own.service !== undefined)
      merged[name] = { ...(merged[name] as object), ...value }
  }
  return draftSettingsSchema.parse(merged)
}

/** The user's own settings after a save in the window. Managed fields keep the user's earlier value. */
export const withoutManaged = (
  wanted: DraftSettings,
  own: DraftSettings,
  managed: ManagedSettings | null,
): DraftSettings => {
  const kept: Record<string, unknown> = { ...wanted }
  const before = own as Readonly<Record<string, unknown>>
  for (const path of lockedBy(managed)) {
    const [name = '', field] = path.split('.')
    if (field === undefined) put(kept, name, before[name])
    else if (isSection(kept[name])) {
      const section: Record<string, unknown> = { ...kept[name] }
      put(section, field, (before[name] as Readonly<Record<string, unknown>> | undefined)?.[field])
      kept[name] = section
    }
  }
  return draftSettingsSchema.parse(kept)
}

const put = (into: Record<string, unknown>, name: string, value: unknown): void => {
  if (value === undefined) delete into[name]
  else into[name] = value
}
