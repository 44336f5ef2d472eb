import { constants } from 'node:fs'

/**
 * Refuses symbolic links, which may point out of the folder. Does not wait at a FIFO: the wait would hold a thread until
 * a program writes to the FIFO. Windows has neither flag.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
