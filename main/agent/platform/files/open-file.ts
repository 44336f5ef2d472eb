import { constants } from 'node:fs'

/**
 * Never through a symbolic link, which may point out of the folder; and never waiting: opening a FIFO for reading
 * would otherwise block a thread until somebody writes to it. Windows knows neither flag.
 */
export const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
