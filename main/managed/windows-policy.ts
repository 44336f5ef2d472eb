import { createRequire } from 'node:module'
import type koffi from 'koffi'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { POLICY_KEY } from '../../shared/settings/policy-settings.ts'

/** The handle of HKEY_LOCAL_MACHINE: a negative 32-bit number. */
const LOCAL_MACHINE = -0x7fff_fffe
/** Read access to the 64-bit part of the registry. */
const READ_64 = 0x2_0019 | 0x100
const ERROR_FILE_NOT_FOUND = 2
const ERROR_NO_MORE_ITEMS = 259
const REG_SZ = 1
const REG_MULTI_SZ = 7
const MAX_NAME_CHARS = 256
const MAX_VALUE_BYTES = 1024 * 1024

type Call = (...args: readonly unknown[]) => unknown

const nativeCalls = () => {
  const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
  const library = load(windowsSystemFile('advapi32.dll', process.env))
  return {
    open: library.func(
      'int32_t __stdcall RegOpenKeyExW(intptr_t key, const char16_t *name, uint32_t options, uint32_t access, void *opened)',
    ) as Call,
    value: library.func(
      'int32_t __stdcall RegEnumValueW(intptr_t key, uint32_t index, void *name, void *name_length, void *reserved, void *type, void *data, void *data_length)',
    ) as Call,
    close: library.func('int32_t __stdcall RegCloseKey(intptr_t key)') as Call,
  }
}

let loaded: ReturnType<typeof nativeCalls> | null = null

/**
 * The names of the policies of this PC, each with its text. Empty on systems other than Windows. Throws if the policies
 * cannot be read.
 */
export const readWindowsPolicies = (
  platform: NodeJS.Platform = process.platform,
): ReadonlyMap<string, string> => {
  const policies = new Map<string, string>()
  if (platform !== 'win32') return policies
  loaded ??= nativeCalls()
  const opened = Buffer.alloc(8)
  const code = loaded.open(LOCAL_MACHINE, POLICY_KEY, 0, READ_64, opened)
  if (code === ERROR_FILE_NOT_FOUND) return policies
  if (code !== 0) throw new Error(`Sluice cannot open its policies in the registry (${code})`)
  const key = opened.readBigInt64LE()
  try {
    for (let index = 0; ; index++) {
      const found = readValue(loaded, key, index)
      if (found === null) return policies
      policies.set(found.name, found.text)
    }
  } finally {
    loaded.close(key)
  }
}

const readValue = (native: ReturnType<typeof nativeCalls>, key: bigint, index: number) => {
  const [name, data, type] = [
    Buffer.alloc(2 * MAX_NAME_CHARS),
    Buffer.alloc(MAX_VALUE_BYTES),
    Buffer.alloc(4),
  ]
  const lengths = [numberBuffer(MAX_NAME_CHARS), numberBuffer(data.length)] as const
  const code = native.value(key, index, name, lengths[0], null, type, data, lengths[1])
  if (code === ERROR_NO_MORE_ITEMS) return null
  if (code !== 0) throw new Error(`Sluice cannot read its policies in the registry (${code})`)
  return {
    name: name.toString('utf16le', 0, 2 * lengths[0].readUInt32LE()),
    text: registryText(type.readUInt32LE(), data.subarray(0, lengths[1].readUInt32LE())),
  }
}

const numberBuffer = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer)

/**
 * The text of a registry value. Joins the lines of a multi-line value with line breaks, because a policy editor splits
 * long JSON into lines. A 32-bit number becomes decimal text. A value of any other type becomes an empty text.
 */
export const registryText = (type: number, data: Buffer): string => {
  if (type === REG_SZ) return data.toString('utf16le').split('\0', 1)[0] ?? ''
  if (type === REG_MULTI_SZ) return data.toString('utf16le').replace(/\0+$/, '').replaceAll('\0', '\n')
  return data.length === 4 ? String(data.readUInt32LE()) : ''
}
