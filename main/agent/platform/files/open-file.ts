import { constants } from 'node:fs'

/**
 * Refuses symbolic links, which may point out of the folder. Does not block on a FIFO, which would hold a thread until
 * another program writes to it. Windows has neither flag.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
