import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { linuxPaths } from '../../../shared/paths/paths.ts'
import { faultSentence, parseSettings } from '../../../shared/settings/parse-settings.ts'
import { describeIssues, draftSettingsSchema, settingsSchema } from '../../../shared/settings/settings.ts'
import { readSettings } from '../read-settings.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText, hostileValue, longText, mutationsOf } from './hostile-input.ts'

const KEY = 'svc_live_0123456789abcdef'

const validSettings = {
  service: {
    base_url: 'https://api.example.com',
    api_key: KEY,
    checksum_header: 'x-amz-checksum-sha256',
    proxy: 'http://proxy.lab:3128',
    ca_file: '/etc/ca.pem',
    upload_hosts: ['*.storage.example.com', '[2001:db8::1]'],
  },
  folders: [
    {
      path: '/recordings',
      site: 'Hall 3',
      device: 'arm',
      notes: 'n',
      include: ['**/*'],
      exclude: ['**/.*'],
      recursive: true,
      settle_seconds: 10,
      marker_suffix: '.done',
      part_size_bytes: 8_000_000,
      after_upload: { action: 'keep' },
    },
  ],
  transfer: {
    parallel_parts: 4,
    windows: [{ days: ['mon'], from: '18:00', to: '24:00', limit_mbit_per_s: 5 }],
  },
  follow: { poll_seconds: 15 },
  webhooks: { receive: { address: '127.0.0.1', port: 8787 } },
  app: { theme: 'dark', quiet_hours: { from: '22:00', to: '06:00' } },
}

export const settingsValues = (runs: number): FuzzTarget<unknown> => ({
  name: 'settings: values',
  runs,
  inputs: fc.oneof(
    { weight: 1, arbitrary: hostileValue },
    { weight: 4, arbitrary: mutationsOf(validSettings) },
  ),
  check: (value) => {
    draftSettingsSchema.safeParse(value)
    const result = settingsSchema.safeParse(value)
    if (!result.success && describeIssues(result.error).some((line) => line.includes(KEY)))
      throw new Error('the key is revealed')
  },
})

const validText = JSON.stringify(validSettings, null, 2)
const cutText = fc.nat(validText.length).map((at) => validText.slice(0, at))
const damagedText = fc
  .tuple(fc.nat(validText.length), fc.nat(3), hostileText)
  .map(
    ([at, removedChars, inserted]) =>
      `${validText.slice(0, at)}${inserted}${validText.slice(at + removedChars)}`,
  )
/** Nested up to 200,000 levels deep: a recursive parser would overflow its stack. */
const deepText = fc
  .tuple(fc.constantFrom('[', '{"a":', '[{"a":'), fc.integer({ min: 1, max: 100_000 }))
  .map(([open, times]) => open.repeat(times))

const settingsText = fc.oneof(
  { weight: 10, arbitrary: hostileText },
  { weight: 20, arbitrary: cutText },
  { weight: 60, arbitrary: damagedText },
  { weight: 1, arbitrary: longText.map((text) => `{"service":"${text}`) },
  { weight: 1, arbitrary: deepText },
)

export const settingsTexts = (runs: number): FuzzTarget<string> => ({
  name: 'settings: texts',
  runs,
  inputs: settingsText,
  check: (text) => {
    for (const fault of parseSettings(Buffer.from(text), linuxPaths).faults) {
      if (!((fault.line ?? 0) >= 1 && (fault.column ?? 0) >= 1)) throw new Error('a fault has no position')
      if (faultSentence(fault).includes(KEY)) throw new Error('the key is revealed')
    }
  },
})

/** Settings in a file, as the headless command reads them. A refusal must be a `BadSettingsError` without the key. */
export const settingsFiles = (folder: string, runs: number): FuzzTarget<string> => {
  const file = path.join(folder, 'settings.json')
  writeFileSync(file, '')
  chmodSync(file, 0o600)
  return {
    name: 'settings: the file',
    runs,
    inputs: settingsText,
    check: (text) => {
      writeFileSync(file, text)
      try {
        readSettings(file)
      } catch (error) {
        if (!(error instanceof Error) || error.constructor.name !== 'BadSettingsError') throw error
        if (error.message.includes(KEY)) throw new Error('the key is revealed')
      }
    },
  }
}
