import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type koffi from 'koffi'

/**
 * Finds the user at the other end of a socket. Node does not report this user, so this module asks the system. On
 * Windows, the user stays unknown, because Node does not expose the handle of the pipe.
 */

const SOL_SOCKET = 1
const SO_PEERCRED = 17
/** `struct ucred`: process, user and group, each with four bytes. */
const UCRED_BYTES = 12
const UID_OFFSET = 4
const UID_BYTES = 4

export type PeerUserReader = (socket: Socket) => number | null

const fdOf = (socket: Socket): number =>
  (socket as unknown as { readonly _handle?: { readonly fd?: number } })._handle?.fd ?? -1

const linuxReader = (load: typeof koffi.load): PeerUserReader => {
  const getsockopt = load('libc.so.6').func(
    'int getsockopt(int fd, int level, int name, void *value, void *length)',
  )
  return (socket) => {
    const credentials = Buffer.alloc(UCRED_BYTES)
    const length = Buffer.alloc(4)
    length.writeUInt32LE(UCRED_BYTES)
    return getsockopt(fdOf(socket), SOL_SOCKET, SO_PEERCRED, credentials, length) === 0
      ? credentials.readUInt32LE(UID_OFFSET)
      : null
  }
}

const macReader = (load: typeof koffi.load): PeerUserReader => {
  const getpeereid = load('/usr/lib/libSystem.B.dylib').func('int getpeereid(int fd, void *uid, void *gid)')
  return (socket) => {
    const uid = Buffer.alloc(UID_BYTES)
    return getpeereid(fdOf(socket), uid, Buffer.alloc(UID_BYTES)) === 0 ? uid.readUInt32LE() : null
  }
}

/**
 * Loads koffi here, because only an agent with a group (`control.group`) needs it. If loading fails, or if the system
 * has no call that reports the user, the reader returns null for every socket.
 */
export const loadPeerUserReader = (platform: NodeJS.Platform = process.platform): PeerUserReader => {
  try {
    const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
    switch (platform) {
      case 'linux':
        return linuxReader(load)
      case 'darwin':
        return macReader(load)
      default:
        return () => null
    }
  } catch {
    return () => null
  }
}
