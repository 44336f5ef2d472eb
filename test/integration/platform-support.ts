import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FileIdentity } from '../../main/agent/domain/file-identity.ts'
import { identifyFile } from '../../main/agent/platform/files/file-inspect.ts'
import type { Log } from '../../main/agent/ports/clock.ts'
import { draftSettingsSchema, type FolderSettings } from '../../shared/settings/settings.ts'

export const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

export const never = new AbortController().signal

export const temporaryFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'sluice-platform-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const folderSettings = (path: string, rules: Partial<FolderSettings> = {}): FolderSettings => ({
  ...draftSettingsSchema.parse({ folders: [{ path, site: 'test' }] }).folders[0]!,
  ...rules,
})

/** Non-repeating bytes, so that a swapped or repeated piece is detected. */
export const createPattern = (length: number, seed = 1): Buffer => {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = seed
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    words[at] = state
  }
  return Buffer.from(words.buffer, 0, length)
}

export const createSparseFile = (path: string, sizeBytes: number): void => {
  writeFileSync(path, '')
  truncateSync(path, sizeBytes)
}

export const digest = (bytes: Uint8Array, algorithm = 'sha256'): string =>
  createHash(algorithm).update(bytes).digest('hex')

export const identityAt = async (path: string): Promise<FileIdentity> => {
  const outcome = await identifyFile(path)
  if (!outcome.ok) throw new Error(`${path}: ${outcome.failure.kind}`)
  return outcome.value
}
