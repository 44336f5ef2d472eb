import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { OwnedFile } from './writers.ts'

/**
 * Hard case: A recorder has the file open, and the lists of open files do not show it.
 * The recorder may belong to a different user, run outside the container, or have a descriptor in transit through a
 * socket. Linux grants a read lease only if nothing on this PC has the file open for writing. So Sluice requests a
 * lease before it removes a file from a drive that stores owners.
 */

const F_SETSIG = 10
const F_SETLEASE = 1024
const F_RDLCK = 0
const F_UNLCK = 2
const EAGAIN = 11
/**
 * If a process opens the file for writing during the lease, Linux sends the agent a signal. The default signal, SIGIO,
 * would end the agent. SIGURG does nothing.
 */
const SIGURG = 23

/**
 * `unknown`: Sluice cannot tell. Only the owner of the file or root may request a lease, and some drives have no
 * leases.
 */
export type LeaseVerdict = 'no-writer' | 'writer' | 'unknown'

type Fcntl = (
  fd: number,
  command: number,
  argument: number,
) => { readonly ok: boolean; readonly code: number }

const loadFcntl = async (): Promise<Fcntl> => {
  const { errno, load } = (await import('koffi')).default
  const call = load('libc.so.6').func('int fcntl(int fd, int command, ...)')
  return (fd, command, argument) => ({ ok: call(fd, command, 'int', argument) === 0, code: errno() })
}

/** The lease ends before this function returns. */
export const requestReadLease = async (path: string, identity: OwnedFile): Promise<LeaseVerdict> => {
  try {
    const fcntl = await loadFcntl()
    // Without O_NONBLOCK, a lease of another program would block this call.
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { dev, ino } = await handle.stat({ bigint: true })
      if (String(dev) !== identity.device || String(ino) !== identity.inode) return 'unknown'
      if (!fcntl(handle.fd, F_SETSIG, SIGURG).ok) return 'unknown'
      const lease = fcntl(handle.fd, F_SETLEASE, F_RDLCK)
      if (!lease.ok) return lease.code === EAGAIN ? 'writer' : 'unknown'
      fcntl(handle.fd, F_SETLEASE, F_UNLCK)
      return 'no-writer'
    } finally {
      await handle.close()
    }
  } catch {
    return 'unknown'
  }
}
