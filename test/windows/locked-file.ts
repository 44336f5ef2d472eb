import { closeSync, constants, openSync } from 'node:fs'

/** libuv's own flag: opened without sharing, like a virus scanner or a recorder. Node has no name for it. */
const UV_FS_O_EXLOCK = 0x10000000

/** No other process opens, renames or removes it until it is released. */
export const lockFile = (file: string): (() => void) => {
  const handle = openSync(file, constants.O_RDWR | UV_FS_O_EXLOCK)
  return () => closeSync(handle)
}
