import { constants } from 'node:fs'

/**
 * O_NOFOLLOW refuses symbolic links, which may point out of the folder. Without O_NONBLOCK, opening a FIFO would hold a
 * thread until a program writes to the FIFO. Windows has neither flag.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
