import { createRequire } from 'node:module'
import type koffi from 'koffi'
import { windowsSystemFile } from '../../shared/paths/system-files.ts'
import { readSid } from './security-descriptor.ts'

/** Reads and sets the rights of files, and finds accounts. */
export type WindowsSecurity = {
  /** Opens a file or folder without following links. Null if Windows refuses, for any reason. */
  readonly open: (path: string) => OpenedPlace | null
  /** The security descriptor of a file, folder or pipe: owner and access list. Null if it cannot be read. */
  readonly descriptorAt: (path: string) => Buffer | null
  /**
   * Sets the owner and the access list to those in `text`. The format of `text` is SDDL. Returns the descriptor that
   * Windows reports afterwards. Throws if Windows refuses.
   */
  readonly setSecurity: (path: string, text: string) => Buffer
  /** The SID of a user or group of this PC or its domain. Null if there is no account with this name. */
  readonly accountSid: (name: string) => string | null
  /** The SID of a group of this PC or its domain. Null if there is no such group. */
  readonly groupSid: (name: string) => string | null
  /** The SID of the user that runs this process. */
  readonly self: () => string
  /** The name of the account with this SID, or the SID itself if no account has it any more. */
  readonly nameOf: (sid: string) => string
}

export type OpenedPlace = {
  /** The security descriptor in self-relative form: owner and access list. Throws if it cannot be read. */
  readonly descriptor: () => Buffer
  /** Until `close`, no program can rename, remove or replace the file or folder. */
  readonly close: () => void
}

type Call = (...args: readonly unknown[]) => unknown

const GENERIC_READ = 0x8000_0000
const READ_CONTROL = 0x0002_0000
const CHANGE_SECURITY = READ_CONTROL | 0x0004_0000 | 0x0008_0000
const SHARE_READ_AND_WRITE = 0x1 | 0x2
const SHARE_ALL = SHARE_READ_AND_WRITE | 0x4
const OPEN_EXISTING = 3
const ALLOW_FOLDERS_NOT_LINKS = 0x0200_0000 | 0x0020_0000
const OWNER_AND_DACL = 0x1 | 0x4
const SDDL_REVISION = 1
const MAX_SID_BYTES = 68
/** Groups of a domain, groups of this PC, and well-known groups such as Everyone. */
const GROUP_KINDS: ReadonlySet<number> = new Set([2, 4, 5])
/** Windows allows no larger security descriptor. */
const MAX_DESCRIPTOR_BYTES = 0x2_0000
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
/** The size of the structure TOKEN_USER. Windows writes the SID after this structure. */
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
    setSecurityOf: bind(
      security,
      'int32_t __stdcall SetKernelObjectSecurity(intptr_t handle, uint32_t information, void *descriptor)',
    ),
    descriptorOf: bind(
      security,
      'int32_t __stdcall ConvertStringSecurityDescriptorToSecurityDescriptorW(const char16_t *text, uint32_t revision, _Out_ void **descriptor, void *length)',
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
    sidOfAccount: bind(
      security,
      'int32_t __stdcall LookupAccountNameW(void *system, const char16_t *name, void *sid, void *sid_length, void *domain, void *domain_length, void *use)',
    ),
    free: bind(kernel, 'void * __stdcall LocalFree(void *memory)'),
  }
}

/** A buffer with a number, for a Windows function that reads this number and writes a new number. */
const numberBuffer = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer)

const textOf = (bytes: Buffer): string => bytes.toString('utf16le').split('\0', 1)[0] ?? ''

const bindSecurity = (): WindowsSecurity => {
  const native = nativeCalls()

  /** The handle, or null if Windows refuses. */
  const openHandle = (path: string, access: number, share: number): unknown => {
    const handle = native.createFile(path, access, share, null, OPEN_EXISTING, ALLOW_FOLDERS_NOT_LINKS, null)
    return Number(handle) === -1 ? null : handle
  }

  const readDescriptor = (handle: unknown): Buffer => {
    const [descriptor, needed] = [Buffer.alloc(MAX_DESCRIPTOR_BYTES), Buffer.alloc(4)]
    if (native.securityOf(handle, OWNER_AND_DACL, descriptor, MAX_DESCRIPTOR_BYTES, needed) === 0)
      throw new Error('Windows does not report its rights')
    return descriptor.subarray(0, needed.readUInt32LE())
  }

  const open = (path: string): OpenedPlace | null => {
    const handle = openHandle(path, GENERIC_READ, SHARE_READ_AND_WRITE)
    if (handle === null) return null
    return { descriptor: () => readDescriptor(handle), close: () => void native.closeHandle(handle) }
  }

  const descriptorAt = (path: string): Buffer | null => {
    const handle = openHandle(path, READ_CONTROL, SHARE_ALL)
    if (handle === null) return null
    try {
      return readDescriptor(handle)
    } finally {
      native.closeHandle(handle)
    }
  }

  const setSecurity = (path: string, text: string): Buffer => {
    const found: unknown[] = [null]
    if (native.descriptorOf(text, SDDL_REVISION, found, null) === 0)
      throw new Error('Windows does not accept the access list')
    const handle = openHandle(path, CHANGE_SECURITY, SHARE_ALL)
    try {
      if (handle === null || native.setSecurityOf(handle, OWNER_AND_DACL, found[0]) === 0)
        throw new Error('Windows did not set the access list')
      return readDescriptor(handle)
    } finally {
      if (handle !== null) native.closeHandle(handle)
      native.free(found[0])
    }
  }

  const findAccount = (name: string): { readonly sid: string; readonly kind: number } | null => {
    const [sid, domain, kind] = [
      Buffer.alloc(MAX_SID_BYTES),
      Buffer.alloc(2 * MAX_NAME_CHARS),
      Buffer.alloc(4),
    ]
    const lengths = [numberBuffer(sid.length), numberBuffer(MAX_NAME_CHARS)] as const
    if (native.sidOfAccount(null, name, sid, lengths[0], domain, lengths[1], kind) === 0) return null
    return { sid: readSid(sid), kind: kind.readUInt32LE() }
  }

  const accountSid = (name: string): string | null => findAccount(name)?.sid ?? null

  const groupSid = (name: string): string | null => {
    const found = findAccount(name)
    return found !== null && GROUP_KINDS.has(found.kind) ? found.sid : null
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
      const lengths = [numberBuffer(MAX_NAME_CHARS), numberBuffer(MAX_NAME_CHARS)] as const
      if (native.accountOf(null, found[0], name, lengths[0], domain, lengths[1], Buffer.alloc(4)) === 0)
        return sid
      return textOf(domain) === '' ? textOf(name) : `${textOf(domain)}\\${textOf(name)}`
    } finally {
      native.free(found[0])
    }
  }

  return { open, descriptorAt, setSecurity, accountSid, groupSid, self, nameOf }
}

/** Loads the libraries once, because Sluice checks files every few seconds. Throws if a library is missing. */
export const loadWindowsSecurity = (() => {
  let loaded: WindowsSecurity | null = null
  return (): WindowsSecurity => {
    loaded ??= bindSecurity()
    return loaded
  }
})()
