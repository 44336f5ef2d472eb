import { createRequire } from 'node:module'
import type koffi from 'koffi'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { readSid } from './security-descriptor.ts'

/** File rights as Windows reports them. */
export type WindowsSecurity = {
  /** Opens a file or folder without following links. Null if Windows refuses, for any reason. */
  readonly open: (path: string) => OpenedPlace | null
  /** The user that runs this process. */
  readonly self: () => string
  /** The SID itself if no account has it any more. */
  readonly nameOf: (sid: string) => string
}

export type OpenedPlace = {
  /** Self-relative, with owner and access list. Throws if the descriptor cannot be read. */
  readonly descriptor: () => Buffer
  /** Until this call, no program can rename, remove or replace the file. */
  readonly close: () => void
}

type Call = (...args: readonly unknown[]) => unknown

const GENERIC_READ = 0x8000_0000
const SHARE_READ_AND_WRITE = 0x1 | 0x2
const OPEN_EXISTING = 3
const ALLOW_FOLDERS_NOT_LINKS = 0x0200_0000 | 0x0020_0000
const OWNER_AND_DACL = 0x1 | 0x4
/** No security descriptor is larger. */
const MAX_DESCRIPTOR_BYTES = 0x2_0000
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
/** A pointer to the SID and its attributes; the SID follows. */
const TOKEN_USER_BYTES = 16
const MAX_NAME_CHARS = 256

const nativeCalls = () => {
  const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
  const [kernel, security] = ['kernel32.dll', 'advapi32.dll'].map((name) =>
    load(windowsSystemFile(name, process.env)),
  ) as [ReturnType<typeof load>, ReturnType<typeof load>]
  const bind = (library: typeof kernel, prototype: string): Call => library.func(prototype) as Call
  return {
    createFile: bind(
      kernel,
      'intptr_t __stdcall CreateFileW(const char16_t *name, uint32_t access, uint32_t share, void *security, uint32_t disposition, uint32_t flags, void *template)',
    ),
    closeHandle: bind(kernel, 'int32_t __stdcall CloseHandle(intptr_t handle)'),
    currentProcess: bind(kernel, 'intptr_t __stdcall GetCurrentProcess()'),
    securityOf: bind(
      security,
      'int32_t __stdcall GetKernelObjectSecurity(intptr_t handle, uint32_t information, void *descriptor, uint32_t length, void *needed)',
    ),
    openToken: bind(
      security,
      'int32_t __stdcall OpenProcessToken(intptr_t process, uint32_t access, void *token)',
    ),
    tokenInformation: bind(
      security,
      'int32_t __stdcall GetTokenInformation(intptr_t token, int32_t information_class, void *information, uint32_t length, void *needed)',
    ),
    sidOf: bind(security, 'int32_t __stdcall ConvertStringSidToSidW(const char16_t *text, _Out_ void **sid)'),
    accountOf: bind(
      security,
      'int32_t __stdcall LookupAccountSidW(void *system, void *sid, void *name, void *name_length, void *domain, void *domain_length, void *use)',
    ),
    free: bind(kernel, 'void * __stdcall LocalFree(void *memory)'),
  }
}

const textOf = (bytes: Buffer): string => bytes.toString('utf16le').split('\0', 1)[0] ?? ''

/** Throws if a library or function is missing. */
export const loadWindowsSecurity = (): WindowsSecurity => {
  const native = nativeCalls()

  const open = (path: string): OpenedPlace | null => {
    const handle = native.createFile(
      path,
      GENERIC_READ,
      SHARE_READ_AND_WRITE,
      null,
      OPEN_EXISTING,
      ALLOW_FOLDERS_NOT_LINKS,
      null,
    )
    if (Number(handle) === -1) return null
    return {
      descriptor: () => {
        const [descriptor, needed] = [Buffer.alloc(MAX_DESCRIPTOR_BYTES), Buffer.alloc(4)]
        if (native.securityOf(handle, OWNER_AND_DACL, descriptor, MAX_DESCRIPTOR_BYTES, needed) === 0)
          throw new Error('Windows does not report its rights')
        return descriptor.subarray(0, needed.readUInt32LE())
      },
      close: () => void native.closeHandle(handle),
    }
  }

  const self = (): string => {
    const [token, user, needed] = [Buffer.alloc(8), Buffer.alloc(MAX_NAME_CHARS), Buffer.alloc(4)]
    if (native.openToken(native.currentProcess(), TOKEN_QUERY, token) === 0)
      throw new Error('Windows does not report who runs this program')
    const handle = token.readBigInt64LE()
    const succeeded = native.tokenInformation(handle, TOKEN_USER, user, user.length, needed)
    native.closeHandle(handle)
    if (succeeded === 0) throw new Error('Windows does not report who runs this program')
    return readSid(user, TOKEN_USER_BYTES)
  }

  const nameOf = (sid: string): string => {
    const found: unknown[] = [null]
    if (native.sidOf(sid, found) === 0) return sid
    try {
      const [name, domain] = [Buffer.alloc(2 * MAX_NAME_CHARS), Buffer.alloc(2 * MAX_NAME_CHARS)]
      const lengths = [0, 1].map(() => Buffer.from(Uint32Array.of(MAX_NAME_CHARS).buffer)) as [Buffer, Buffer]
      if (native.accountOf(null, found[0], name, lengths[0], domain, lengths[1], Buffer.alloc(4)) === 0)
        return sid
      return textOf(domain) === '' ? textOf(name) : `${textOf(domain)}\\${textOf(name)}`
    } finally {
      native.free(found[0])
    }
  }

  return { open, self, nameOf }
}
