import { promisify } from 'node:util'
import type { NativeCalls } from './windows-file-users.ts'

type Call = (...args: readonly unknown[]) => Promise<number>

/**
 * Each call runs in a thread of the library's own. Throws where a library or a function is not there. The package is
 * asked for here and not at the top, where a bundle would load it on every system.
 */
export const loadNativeCalls = async (): Promise<NativeCalls> => {
  const { default: koffi } = await import('koffi')
  const manager = koffi.load('rstrtmgr.dll')
  const kernel = koffi.load('kernel32.dll')
  const of = (library: typeof manager, prototype: string): Call =>
    promisify(library.func(prototype).async) as Call
  return {
    startSession: of(manager, 'uint32_t __stdcall RmStartSession(void *session, uint32_t flags, void *key)'),
    registerFiles: of(
      manager,
      'uint32_t __stdcall RmRegisterResources(uint32_t session, uint32_t files, const char16_t **names, uint32_t apps, void *app_list, uint32_t services, void *service_list)',
    ),
    list: of(
      manager,
      'uint32_t __stdcall RmGetList(uint32_t session, void *needed, void *count, void *infos, void *reasons)',
    ),
    endSession: of(manager, 'uint32_t __stdcall RmEndSession(uint32_t session)'),
    createFile: of(
      kernel,
      'intptr_t __stdcall CreateFileW(const char16_t *name, uint32_t access, uint32_t share, void *security, uint32_t disposition, uint32_t flags, void *template)',
    ),
    closeHandle: of(kernel, 'int32_t __stdcall CloseHandle(intptr_t handle)'),
    driveType: of(kernel, 'uint32_t __stdcall GetDriveTypeW(const char16_t *root)'),
  }
}
