import { z } from 'zod'
import { type DraftSettings, draftSettingsSchema, type Settings, settingsSchema } from './settings.ts'
import { feedKey } from './update-settings.ts'

/**
 * The settings that an administrator rolls out: the settings schema with every field optional. They override the
 * user's settings field by field, and lists as a whole. A managed `service.base_url` replaces the whole `service`
 * section, so that the administrator's service never gets the user's proxy or key.
 */
type WithoutSchemaField = Omit<Settings, '$schema'>
export type ManagedSettings = {
  readonly [S in keyof WithoutSchemaField]?: WithoutSchemaField[S] extends readonly unknown[]
    ? WithoutSchemaField[S]
    : Partial<WithoutSchemaField[S]>
} & { readonly updates?: ManagedOnly }

/**
 * The key of a site's own update feed, which replaces the keys in the app. This key decides which program this
 * PC runs, so only managed settings can contain it.
 */
type ManagedOnly = { readonly feed_key?: string }

/** Removes defaults. Otherwise, every field that the administrator does not set would be locked to its default. */
const withoutDefaults = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? withoutDefaults(schema.unwrap())
    : schema

const allOptional = (
  shape: Readonly<Record<string, z.core.$ZodType>>,
  convert: (schema: z.core.$ZodType) => z.core.$ZodType,
) =>
  z.strictObject(
    Object.fromEntries(Object.entries(shape).map(([k, v]) => [k, z.optional(convert(withoutDefaults(v)))])),
  )

const { updates: updatesSchema, ...otherSections } = settingsSchema.shape
const managedShape = {
  ...otherSections,
  updates: updatesSchema.unwrap().extend({ feed_key: feedKey.optional() }),
}

export const managedSettingsSchema = allOptional(managedShape, (section) =>
  section instanceof z.ZodObject ? allOptional(section.shape, (field) => field) : section,
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
    const { $schema: _schemaField, ...managed } = value as { $schema?: string } & ManagedSettings
    return managed
  })

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The settings that the user cannot change, such as "folders" or "transfer.parallel_parts". */
export const lockedBy = (managed: ManagedSettings | null): readonly string[] =>
  Object.entries(managed ?? {}).flatMap(([name, value]) =>
    isSection(value) && !replacesSection(name, value)
      ? Object.keys(value).map((field) => `${name}.${field}`)
      : [name],
  )

const replacesSection = (name: string, section: Readonly<Record<string, unknown>>): boolean =>
  name === 'service' && section.base_url !== undefined

const withoutManagedOnly = ({ feed_key: _feedKey, ...fields }: Readonly<Record<string, unknown>>) => fields

/** The settings in force. Managed settings override the user's own. */
export const withManaged = (own: DraftSettings, managed: ManagedSettings | null): DraftSettings => {
  if (managed === null) return own
  const merged: Record<string, unknown> = { ...own }
  for (const [name, value] of Object.entries(managed)) {
    if (!isSection(value) || replacesSection(name, value)) merged[name] = value
    // Without an address, there is no `service` section to merge into.
    else if (name !== 'service' || own.service !== undefined)
      merged[name] = { ...(merged[name] as object), ...withoutManagedOnly(value) }
  }
  return draftSettingsSchema.parse(merged)
}

/** The user's own settings after a save in the window. Managed fields keep the value that the user had set before. */
export const withoutManaged = (
  savedSettings: DraftSettings,
  own: DraftSettings,
  managed: ManagedSettings | null,
): DraftSettings => {
  const result: Record<string, unknown> = { ...savedSettings }
  const ownValues = own as Readonly<Record<string, unknown>>
  for (const path of lockedBy(managed)) {
    const [name = '', field] = path.split('.')
    if (field === undefined) put(result, name, ownValues[name])
    else if (isSection(result[name])) {
      const section: Record<string, unknown> = { ...result[name] }
      put(section, field, (ownValues[name] as Readonly<Record<string, unknown>> | undefined)?.[field])
      result[name] = section
    }
  }
  return draftSettingsSchema.parse(result)
}

const put = (into: Record<string, unknown>, name: string, value: unknown): void => {
  if (value === undefined) delete into[name]
  else into[name] = value
}
