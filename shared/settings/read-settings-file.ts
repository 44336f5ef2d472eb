import type { SettingsReading } from '../ipc/settings-reading.ts'
import type { Paths } from '../paths/paths.ts'
import { redact } from '../redaction/redact.ts'
import { issueSentence } from '../words/issue-sentence.ts'
import { jsonFault } from './json-fault.ts'
import { jsonLine } from './json-line.ts'
import { monitoringSecretsIn, withoutMonitoringSecrets } from './monitoring-secrets.ts'
import { draftSettingsSchema, duplicateFolders } from './settings.ts'
import { decodeSettingsText } from './settings-text.ts'
import { placeInWords } from './settings-words.ts'

/** Large enough for thousands of folders, and small enough to refuse a recording picked by mistake. */
export const MAX_SETTINGS_BYTES = 1024 * 1024
/** Nobody reads more before fixing the first ones. */
const MAX_FAULTS = 20

type Fault = { readonly line: number | null; readonly sentence: string }
type Result =
  | Omit<Extract<SettingsReading, { kind: 'readable' }>, 'name'>
  | Omit<Extract<SettingsReading, { kind: 'refused' }>, 'name'>

const refused = (faults: readonly Fault[]): Result => ({
  kind: 'refused',
  // A typo can make an API key part of a quoted name.
  faults: faults.slice(0, MAX_FAULTS).map(({ line, sentence }) => ({ line, sentence: redact(sentence) })),
})

/** Reads a settings file: its settings, or what is wrong with it and where. */
export const readSettingsFile = (bytes: Uint8Array, paths: Paths): Result => {
  const decoded = decodeSettingsText(bytes)
  if (!decoded.ok) return refused([{ line: null, sentence: `The file is ${decoded.fault}.` }])
  const { text } = decoded
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { line, column } = jsonFault(text)
    const sentence = `Invalid JSON at column ${column}. Check for a missing or extra comma, quotation mark or bracket.`
    return refused([{ line, sentence }])
  }
  const faultAt = (path: readonly PropertyKey[], sentence: string): Fault => ({
    line: jsonLine(text, path),
    sentence: `${placeInWords(path)}: ${sentence}`,
  })
  const parsed = draftSettingsSchema.safeParse(value)
  if (!parsed.success)
    return refused(
      parsed.error.issues.flatMap((issue) =>
        issue.code === 'unrecognized_keys'
          ? issue.keys.map((key) => ({
              line: jsonLine(text, [...issue.path, key]),
              sentence: `Unknown setting “${key}”.`,
            }))
          : [faultAt(issue.path, issueSentence(issue))],
      ),
    )
  const twice = duplicateFolders(parsed.data.folders, paths)
  if (twice.length > 0)
    return refused(twice.map(({ path, message }) => faultAt(['folders', ...path], `${message}.`)))
  const holdsMonitoring = Object.keys(monitoringSecretsIn(parsed.data.monitoring)).length > 0
  const { service, ...rest } = withoutMonitoringSecrets(parsed.data)
  if (service === undefined) return { kind: 'readable', settings: rest, holdsKey: false, holdsMonitoring }
  const { api_key, ...without } = service
  const settings = { service: without, ...rest }
  return { kind: 'readable', settings, holdsKey: api_key !== undefined, holdsMonitoring }
}
