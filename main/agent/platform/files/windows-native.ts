import { promisify } from 'node:util'
import type koffi from 'koffi'
import { windowsSystemFile } from '../../../../shared/paths/system-files.ts'
import type { DirectoryCalls } from '../folders/windows-attributes.ts'
import type { NativeCalls } from './windows-file-users.ts'

type LibraryHandle = ReturnType<typeof koffi.load>
type Call = (...args: readonly unknown[]) => Promise<number>

const declareCall = (library: LibraryHandle, prototype: string): Call =>
  promisify(library.func(prototype).async) as Call

const openAndClose = (kernel: LibraryHandle) => ({
  createFile: declareCall(
    kernel,
    'intptr_t __stdcall CreateFileW(const char16_t *name, uint32_t access, uint32_t share, void *security, uint32_t disposition, uint32_t flags, void *template)',
  ),
  closeHandle: declareCall(kernel, 'int32_t __stdcall CloseHandle(intptr_t handle)'),
})

/** Imports koffi lazily: a top-level import would load it on every system. */
const systemLibraries = async (): Promise<(name: string) => LibraryHandle> => {
  const { default: koffi } = await import('koffi')
  return (name) => koffi.load(windowsSystemFile(name, process.env))
}

/** Each call runs on a thread of koffi. Throws if a library or function is missing. */
export const loadNativeCalls = async (): Promise<NativeCalls> => {
  const systemLibrary = await systemLibraries()
  const manager = systemLibrary('rstrtmgr.dll')
  const kernel = systemLibrary('kernel32.dll')
  return {
    ...openAndClose(kernel),
    startSession: declareCall(
      manager,
      'uint32_t __stdcall RmStartSession(void *session, uint32_t flags, void *key)',
    ),
    registerFiles: declareCall(
      manager,
      'uint32_t __stdcall RmRegisterResources(uint32_t session, uint32_t files, const char16_t **names, uint32_t apps, void *app_list, uint32_t services, void *service_list)',
    ),
    list: declareCall(
      manager,
      'uint32_t __stdcall RmGetList(uint32_t session, void *needed, void *count, void *infos, void *reasons)',
    ),
    endSession: declareCall(manager, 'uint32_t __stdcall RmEndSession(uint32_t session)'),
    driveType: declareCall(kernel, 'uint32_t __stdcall GetDriveTypeW(const char16_t *root)'),
  }
}

export const loadDirectoryCalls = async (): Promise<DirectoryCalls> => {
  const systemLibrary = await systemLibraries()
  return {
    ...openAndClose(systemLibrary('kernel32.dll')),
    queryDirectory: declareCall(
      systemLibrary('ntdll.dll'),
      'int32_t __stdcall NtQueryDirectoryFile(intptr_t handle, void *event, void *routine, void *context, void *block, void *entries, uint32_t length, int32_t information_class, uint8_t single, void *name, uint8_t restart)',
    ),
  }
}
