import { closeSync, constants, openSync } from 'node:fs'

/** libuv's flag to open a file without sharing, as virus scanners and recorders do. Node has no name for this flag. */
const UV_FS_O_EXLOCK = 0x10000000

/** Locks a file: no other process can open, rename or remove it. Returns the function that releases the lock. */
export const lockFile = (file: string): (() => void) => {
  const handle = openSync(file, constants.O_RDWR | UV_FS_O_EXLOCK)
  return () => closeSync(handle)
}
