import { z } from 'zod'
import { linuxPaths, type Paths } from '../paths/paths.ts'
import { issueSentence } from '../words/issue-sentence.ts'
import { fieldPath } from './field-path.ts'
import { isLoopback } from './loopback.ts'
import { listeningFields, monitoringSettings } from './monitoring-settings.ts'
import { takeExpectationSchema } from './take-expectation.ts'
import { updateSettings } from './update-settings.ts'
import { timeOfDay, uploadWindow } from './week-hours.ts'

/**
 * The settings file of the desktop app and the headless agent. Fields are snake_case because people type them. Objects
 * are strict: Sluice reports a misspelt field with its path, instead of ignoring it.
 */

const text = (max: number) => z.string().trim().min(1).max(max)
const globs = z.array(text(1024)).max(100)

/** https only, except on this PC. A path, query or password in the address is a mistake. */
export const serviceAddress = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const fail = (message: string) => context.addIssue({ code: 'custom', message })
    if (!/^https?:\/\//i.test(value)) return fail('start the address with https://')
    if (!URL.canParse(value)) return fail('this is not a valid address')
    const url = new URL(value)
    if (url.protocol === 'http:' && !isLoopback(url.hostname))
      return fail('use https:// (http:// is accepted only for an address on this PC)')
    if (url.username !== '' || url.password !== '') return fail('leave user name and password out')
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
      return fail('type only https:// and the host name, without a path')
  })
  .transform((value) => new URL(value).origin)

/** Removes white space, which pasted keys often contain. Real keys never contain it. */
export const apiKeySchema = z
  .string()
  .transform((value) => value.replace(/\s+/g, ''))
  .pipe(
    z
      .string()
      .min(1, 'the key is empty')
      .max(512, 'this is too long for a key')
      .regex(/^[\x21-\x7e]+$/, 'a key has only plain letters, digits and signs'),
  )

/**
 * A host name or IP address, or `*.example.com` for all subdomains. The URL class normalises the name for comparison.
 */
const uploadHost = z
  .string()
  .trim()
  .transform((value, context) => {
    const [, wildcard = '', name = ''] = /^(\*\.)?(.*)$/s.exec(value) ?? []
    const url = URL.canParse(`https://${name}`) ? new URL(`https://${name}`) : null
    const isName =
      url !== null &&
      !/[/@?#\\*\s]/.test(name) &&
      url.port === '' &&
      !/:\d*$/.test(name.replace(/^\[.*\]/, ''))
    if (isName) return `${wildcard}${url.hostname.replace(/\.$/, '')}`
    context.addIssue({
      code: 'custom',
      message: 'give host names only, such as storage.example.com or *.example.com',
    })
    return z.NEVER
  })

const serviceSettings = z.strictObject({
  base_url: serviceAddress,
  api_key: apiKeySchema.optional(),
  /** A file that contains only the key. Other users must not be able to read it. */
  api_key_file: text(4096).optional(),
  checksum_header: z
    .string()
    .regex(/^[a-z0-9-]+$/i, 'a header name has only letters, digits and hyphens')
    .default('x-amz-checksum-sha256'),
  /** A proxy URL, or how Sluice finds the proxy. For `system`, the headless agent uses the environment variables. */
  proxy: z
    .union([
      z.enum(['system', 'environment', 'none']),
      z.url({ protocol: /^https?$/, hostname: /./, error: 'give the proxy as http://host:port' }),
    ])
    .default('system'),
  ca_file: text(4096).optional(),
  /** If set, Sluice sends parts only to these hosts. */
  upload_hosts: z.array(uploadHost).min(1).max(100).optional(),
})

/** How long Sluice keeps a processed file, and the free space below which it removes files earlier. */
const retention = {
  days: z
    .number('type a number')
    .int('use a whole number')
    .min(0, 'use a number from 0 to 3650')
    .max(3650, 'use a number from 0 to 3650')
    .default(30),
  keep_free_bytes: z.number('type a number').int('use a whole number').min(1).max(1e15).optional(),
}

/** The action on a local file after the service has processed it. */
export const afterUploadSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('keep') }),
  z.strictObject({ action: z.literal('move'), to: text(4096), ...retention }),
  z.strictObject({ action: z.literal('delete'), ...retention }),
])

const folderSettings = z.strictObject({
  path: text(4096),
  site: text(256),
  device: text(256).optional(),
  notes: z.string().max(4096).optional(),
  include: globs.default(['**/*']),
  exclude: globs.default(['**/.*', '**/*.part', '**/*.tmp', '**/*.active']),
  recursive: z.boolean().default(true),
  /**
   * Which files belong together as one take. `file`: each file is one take. `folder`: each direct subfolder of the
   * watched folder is one take. `split`: files whose names differ only in a final number are one take (`run_0.mcap`,
   * `run_1.mcap`).
   */
  take: z.enum(['file', 'folder', 'split']).default('file'),
  /** Skips files that existed before Sluice first scanned the folder. */
  ignore_existing: z.boolean().default(false),
  settle_seconds: z.number().min(0).max(86_400).default(10),
  /** A file is finished only once `<name><suffix>` exists beside it. */
  marker_suffix: text(64).optional(),
  /** Reads a recording's notes from a file beside it: `<name><suffix>` or `<stem><suffix>`. */
  notes_sidecar: text(64)
    .regex(/^[^/\\]+$/, 'give the end of a file name, such as .txt')
    .optional(),
  /** Uploads a file even if the service already has a recording of this site with the same content. */
  upload_duplicates: z.boolean().default(false),
  /**
   * The preferred part size, which the service may change. §8 allows 8 MB to 512 MB without defining the megabyte. This
   * field accepts decimal and binary megabytes. The part plan picks a size that is within the limits in both units.
   */
  part_size_bytes: z.number().int().min(8_000_000).max(536_870_912).optional(),
  /** The reaction if the folder has no recordings, but usually has some by now: nothing, a card, or an alarm. */
  silence: z.enum(['off', 'gentle', 'loud']).default('gentle'),
  expect: takeExpectationSchema.optional(),
  /**
   * The reaction if a recording is not as expected. `warn`: a report. `hold`: a report, and no upload until a user
   * decides.
   */
  on_deviation: z.enum(['off', 'warn', 'hold']).default('warn'),
  after_upload: afterUploadSchema.default({ action: 'keep' }),
})

const transferSettings = z.strictObject({
  parallel_recordings: z.number().int().min(1).max(16).default(3),
  parallel_parts: z.number().int().min(1).max(32).default(4),
  limit_mbit_per_s: z.number().positive().optional(),
  windows: z.array(uploadWindow).max(50).default([]),
  pause_on_battery: z.boolean().default(false),
})

const followSettings = z.strictObject({ poll_seconds: z.number().min(0.1).max(3600).default(15) })

/** The address where Sluice receives the service's events (§6). Off by default. */
const webhookSettings = z.strictObject({
  receive: z.strictObject(listeningFields).optional(),
})

/** The desktop app applies all of these fields. The headless agent accepts them, but applies only `station_name`. */
const appSettings = z.strictObject({
  /** A readable name of this PC. Default: its host name. */
  station_name: text(64).optional(),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  start_at_login: z.boolean().default(false),
  keep_awake_while_uploading: z.boolean().default(true),
  notify_attention: z.boolean().default(true),
  notify_overnight_done: z.boolean().default(true),
  /** Plays the system's alert sound when a recording is not as expected. */
  sound_on_deviation: z.boolean().default(false),
  quiet_hours: z.strictObject({ from: timeOfDay, to: timeOfDay }).optional(),
})

/** The accounts that may attach to a headless agent. The agent's own account always may. */
const controlSettings = z.strictObject({
  /** Members of this group may see the station, act on recordings, and change the settings in `transfer` and `app`. */
  group: text(64).optional(),
})

/** Folders that the list contains twice. `paths` decides which spellings are the same folder. */
export const duplicateFolders = (
  folders: readonly { readonly path: string }[],
  paths: Paths,
): readonly { readonly path: readonly [number, 'path']; readonly message: string }[] =>
  folders.flatMap(({ path }, index) => {
    const firstIndex = folders.findIndex((other) => paths.same(other.path, path))
    const other = folders[firstIndex]
    if (other === undefined || firstIndex === index) return []
    const [spelling, otherSpelling] = [paths.show(path), paths.show(other.path)]
    const message =
      spelling === otherSpelling
        ? 'This folder is already watched.'
        : `Two spellings of one folder, ${spelling} and ${otherSpelling}: remove one of them.`
    return [{ path: [index, 'path'], message }]
  })

/** A relative path depends on the working directory, so Sluice could suddenly watch a different folder. */
export const relativeFolders = (
  folders: readonly { readonly path: string }[],
  paths: Paths,
): readonly { readonly path: readonly [number, 'path']; readonly message: string }[] =>
  folders.flatMap(({ path }, index) =>
    paths.isAbsolute(path)
      ? []
      : [{ path: [index, 'path'], message: 'Give the full path, starting at the root of the drive.' }],
  )

const folderList = z
  .array(folderSettings)
  .max(200)
  .superRefine((folders, context) => {
    // Paths that are equal on Linux are equal on every system. `settingsFaults` also applies the rules of this system.
    for (const { path, message } of duplicateFolders(folders, linuxPaths))
      context.addIssue({ code: 'custom', path: [...path], message })
    for (const [index, { take, recursive }] of folders.entries())
      if (take === 'folder' && !recursive)
        context.addIssue({
          code: 'custom',
          path: [index, 'take'],
          message: 'Each subfolder is one take, so Sluice must watch subfolders: set recursive to true.',
        })
  })

const fieldsWithDefaults = {
  /** The address of the JSON schema. Only text editors use it. */
  $schema: z.string().max(2048).optional(),
  folders: folderList.default([]),
  transfer: transferSettings.prefault({}),
  follow: followSettings.prefault({}),
  webhooks: webhookSettings.prefault({}),
  monitoring: monitoringSettings.prefault({}),
  updates: updateSettings.prefault({}),
  app: appSettings.prefault({}),
  control: controlSettings.optional(),
}

export const settingsSchema = z.strictObject({ service: serviceSettings, ...fieldsWithDefaults })

/** Before the first run, the settings have no service. */
export const draftSettingsSchema = z.strictObject({
  service: serviceSettings.optional(),
  ...fieldsWithDefaults,
})

export type Settings = z.output<typeof settingsSchema>
export type DraftSettings = z.output<typeof draftSettingsSchema>
export type SettingsInput = z.input<typeof draftSettingsSchema>
export type FolderSettings = Settings['folders'][number]
export type TransferSettings = Settings['transfer']
export type UploadWindow = TransferSettings['windows'][number]
export type ServiceSettings = Settings['service']
export type UpdateSettings = Settings['updates']

/** "folders[0].site: This is required.", one line for each wrong field. */
export const describeIssues = (error: z.ZodError): string[] =>
  error.issues.map((issue) => `${fieldPath(issue.path)}: ${issueSentence(issue)}`)
