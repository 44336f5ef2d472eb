import type { Socket } from 'node:net'

/** However it came to its end: `once` of node:events would call a reset connection an error. */
export const closed = async (socket: Socket): Promise<void> => {
  socket.on('error', () => {})
  if (!socket.closed) await new Promise((done) => socket.once('close', done))
}
