import { createRequire } from 'node:module'
import type koffi from 'koffi'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'

/**
 * DPAPI, a part of Windows, encrypts a secret for one account. The app uses DPAPI through Electron, a headless agent
 * through `loadDpapi`.
 */
export type Dpapi = {
  readonly protect: (bytes: Buffer) => Buffer
  /** Throws if another account encrypted the bytes. */
  readonly unprotect: (bytes: Buffer) => Buffer
}

type Blob = { cbData: number; pbData: unknown }
type Call = (...args: readonly unknown[]) => unknown

/** Windows must show no dialog, because there may be no signed-in user. */
const UI_FORBIDDEN = 0x1

/** Throws if a library or function is missing. */
export const loadDpapi = (): Dpapi => {
  const { load, struct, pointer, out, view } = createRequire(import.meta.url)('koffi') as typeof koffi
  const [crypt, kernel] = ['crypt32.dll', 'kernel32.dll'].map((name) =>
    load(windowsSystemFile(name, process.env)),
  ) as [ReturnType<typeof load>, ReturnType<typeof load>]
  const blob = struct({ cbData: 'uint32_t', pbData: 'void *' })
  const bind = (name: string): Call =>
    crypt.func('__stdcall', name, 'int32_t', [
      pointer(blob),
      'void *',
      'void *',
      'void *',
      'void *',
      'uint32_t',
      out(pointer(blob)),
    ]) as Call
  const free = kernel.func('void * __stdcall LocalFree(void *memory)') as Call

  const convert = (call: Call, bytes: Buffer, failure: string): Buffer => {
    const result: Blob = { cbData: 0, pbData: null }
    const given: Blob = { cbData: bytes.length, pbData: bytes }
    if (call(given, null, null, null, null, UI_FORBIDDEN, result) === 0) throw new Error(failure)
    try {
      return Buffer.from(Buffer.from(view(result.pbData, result.cbData)))
    } finally {
      free(result.pbData)
    }
  }
  const [protect, unprotect] = [bind('CryptProtectData'), bind('CryptUnprotectData')]
  return {
    protect: (bytes) => convert(protect, bytes, 'Windows did not encrypt the secret'),
    unprotect: (bytes) => convert(unprotect, bytes, 'Windows did not decrypt the secret'),
  }
}
