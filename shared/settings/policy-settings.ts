import { z } from 'zod'
import { decodeText } from '../words/decode-text.ts'
import { parseJson } from './json-document.ts'
import { managedSettingsSchema } from './managed-settings.ts'

/**
 * Managed settings as policies of Windows: one registry value per setting, named like the setting (`service.base_url`).
 * Text and choices are stored as they are, everything else as JSON.
 */

/** In `HKEY_LOCAL_MACHINE`. Only administrators can write below `Policies`, and every user can read there. */
export const POLICY_KEY = 'SOFTWARE\\Policies\\Sluice'

export type PolicySetting = {
  /** Such as "transfer.parallel_parts" or "folders". */
  readonly name: string
  readonly kind: 'text' | 'choice' | 'switch' | 'number' | 'json'
  readonly choices: readonly string[]
  /** Limits of a number, if there are any. */
  readonly lowest: number | null
  readonly highest: number | null
}

type JsonSchema = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/**
 * Every user of the PC can read policies, so the policy template leaves out every setting that is always a secret.
 * Administrators put monitoring URLs into the managed settings file, and use `service.api_key_file` for the key. A
 * metrics token and a proxy with a password also belong in that file.
 */
const NOT_A_POLICY: ReadonlySet<string> = new Set([
  '$schema',
  'service.api_key',
  'monitoring.heartbeat_url',
  'monitoring.alert_url',
])

const kindOf = ({ type, enum: choices, anyOf }: JsonSchema): PolicySetting['kind'] => {
  if (choices !== undefined) return 'choice'
  if (type === 'string' || anyOf?.every((each) => each.type === 'string')) return 'text'
  if (type === 'boolean') return 'switch'
  return type === 'integer' || type === 'number' ? 'number' : 'json'
}

/** Every managed setting except those in `NOT_A_POLICY`, in the order of the schema. */
export const policySettings = (): readonly PolicySetting[] => {
  const { properties = {} } = z.toJSONSchema(managedSettingsSchema, {
    io: 'input',
    unrepresentable: 'any',
  }) as JsonSchema
  const settings = Object.entries(properties).flatMap(([section, schema]) =>
    schema.properties === undefined
      ? [[section, schema] as const]
      : Object.entries(schema.properties).map(([field, inner]) => [`${section}.${field}`, inner] as const),
  )
  return settings
    .filter(([name]) => !NOT_A_POLICY.has(name))
    .map(([name, schema]) => ({
      name,
      kind: kindOf(schema),
      choices: schema.enum ?? [],
      lowest: schema.minimum ?? null,
      highest: schema.maximum ?? null,
    }))
}

/** A value that is not valid JSON stays text, so that the settings parser reports the field. */
const policyValue = (kind: PolicySetting['kind'] | undefined, text: string): unknown => {
  if (kind === undefined || kind === 'text' || kind === 'choice') return text
  const json = parseJson(text)
  return json.ok ? json.value : text
}

type Sections = Readonly<Record<string, unknown>>

const isSection = (value: unknown): value is Sections =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A policy for `monitoring.metrics` does not replace the whole object, because its token stays in the file. */
const mergeSections = (inFile: unknown, policies: Sections): Sections => {
  const fields = isSection(inFile) ? inFile : {}
  const merged = Object.entries(policies).map(([name, value]) => {
    const old = fields[name]
    return [name, isSection(old) && isSection(value) ? { ...old, ...value } : value]
  })
  return { ...fields, ...Object.fromEntries(merged) }
}

/**
 * Replaces settings of the managed settings file with policies. `file` is `{}` if there is no file. If the file is
 * not a JSON object, it stays unchanged, so that the settings parser reports it.
 */
export const withPolicies = (file: Uint8Array, policies: ReadonlyMap<string, string>): Uint8Array => {
  if (policies.size === 0) return file
  const decoded = decodeText(file)
  const json = decoded.ok ? parseJson(decoded.text) : null
  if (json?.ok !== true || !isSection(json.value)) return file
  const kinds = new Map(policySettings().map(({ name, kind }) => [name, kind]))
  const merged: Record<string, unknown> = { ...json.value }
  for (const [name, text] of policies) {
    const [section = '', field] = name.split('.', 2)
    const value = policyValue(kinds.get(name), text)
    merged[section] = field === undefined ? value : mergeSections(merged[section], { [field]: value })
  }
  return new TextEncoder().encode(JSON.stringify(merged))
}
