import type { z } from 'zod'
import type { Paths } from '../paths/paths.ts'
import { redact } from '../redaction/redact.ts'
import { issueSentence } from '../words/issue-sentence.ts'
import { duplicateKeys } from './duplicate-keys.ts'
import { fieldPath, keysOf } from './field-path.ts'
import { jsonFault } from './json-fault.ts'
import { jsonLine } from './json-line.ts'
import { isLoopbackAddress } from './loopback.ts'
import { type ManagedSettings, managedSettingsSchema } from './managed-settings.ts'
import { type DraftSettings, draftSettingsSchema } from './settings.ts'
import { settingsFaults } from './settings-faults.ts'

/** `run`, `settings check` and the managed settings share this check, so that they accept and refuse the same files. */
export type SettingsFinding = {
  /** Null for the file as a whole. */
  readonly line: number | null
  /** "folders[0].site: Write text, in quotes." It never contains a key. */
  readonly sentence: string
}

export type Judged<S> =
  | {
      readonly ok: true
      readonly settings: S
      /** The settings work, but some of them have no effect. */
      readonly warnings: readonly SettingsFinding[]
    }
  | { readonly ok: false; readonly faults: readonly SettingsFinding[] }

type Keys = readonly PropertyKey[]

type Fields = {
  readonly service?:
    | { readonly api_key_file?: string | undefined; readonly ca_file?: string | undefined }
    | undefined
  readonly monitoring?:
    | { readonly metrics?: { readonly address: string; readonly token?: string | undefined } | undefined }
    | undefined
}

/** A relative path would mean a different file for each working directory. */
const relativeFiles = ({ service }: Fields, paths: Paths) =>
  (['api_key_file', 'ca_file'] as const).flatMap((field) => {
    const file = service?.[field]
    return file === undefined || paths.isAbsolute(file)
      ? []
      : [{ path: ['service', field], message: 'Give the full path, starting at the root of the drive.' }]
  })

/** Only a warning: `run` starts, but serves no metrics. */
const openMetrics = ({ monitoring }: Fields) => {
  const metrics = monitoring?.metrics
  if (metrics === undefined || metrics.token !== undefined || isLoopbackAddress(metrics.address)) return []
  const message = `At ${metrics.address} a token of at least 16 characters is needed, so no metrics are offered.`
  return [{ path: ['monitoring', 'metrics'], message }]
}

const judge = <S extends Fields & Parameters<typeof settingsFaults>[0]>(
  text: string,
  schema: z.ZodType<S>,
  paths: Paths,
  isWarning: (field: string) => boolean,
): Judged<S> => {
  const finding = (path: Keys, sentence: string): SettingsFinding => ({
    line: jsonLine(text, path),
    // The field path comes from the schema and must not be redacted: "token: …" looks like a secret.
    sentence: `${fieldPath(path)}: ${redact(sentence)}`,
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    const { line, column } = jsonFault(text)
    return {
      ok: false,
      faults: [{ line, sentence: `The file is not valid JSON: see line ${line}, column ${column}.` }],
    }
  }
  const parsed = schema.safeParse(json)
  const twice = duplicateKeys(text).map(({ path, line }) => ({
    line,
    sentence: `${redact(fieldPath(path))}: This setting is there twice. Leave one of them out.`,
  }))
  if (!parsed.success)
    return {
      ok: false,
      faults: [...twice, ...parsed.error.issues.flatMap((issue) => issueFindings(issue, finding))],
    }
  const settings = parsed.data
  const found = [
    ...relativeFiles(settings, paths).map((each) => ({ ...each, warns: false })),
    ...settingsFaults(settings, paths).map(({ path, message }) => ({
      path: keysOf(path),
      message,
      warns: isWarning(path),
    })),
    ...openMetrics(settings).map((each) => ({ ...each, warns: true })),
  ].map(({ path, message, warns }) => ({ ...finding(path, message), warns }))
  const plain = ({ line, sentence }: SettingsFinding) => ({ line, sentence })
  const faults = [...twice, ...found.filter(({ warns }) => !warns).map(plain)]
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, settings, warnings: found.map(plain) }
}

const issueFindings = (
  issue: z.core.$ZodIssue,
  finding: (path: Keys, sentence: string) => SettingsFinding,
): readonly SettingsFinding[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => {
        const { line } = finding([...issue.path, key], '')
        const sentence = redact(`There is no setting “${key}” here. Check the spelling.`)
        return { line, sentence: `${fieldPath(issue.path)}: ${sentence}` }
      })
    : [finding(issue.path, issueSentence(issue))]

/** The station's own file. Overlapping hours only warn: the first window applies. */
export const judgeOwnSettings = (text: string, paths: Paths): Judged<DraftSettings> =>
  judge(text, draftSettingsSchema, paths, (field) => field.startsWith('transfer.'))

export const judgeManagedSettings = (text: string, paths: Paths): Judged<ManagedSettings> =>
  judge(text, managedSettingsSchema as unknown as z.ZodType<ManagedSettings>, paths, () => false)
