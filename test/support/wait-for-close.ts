import type { Socket } from 'node:net'

/**
 * Waits until the socket is closed, for any reason. `once` of `node:events` would throw if the connection was reset.
 */
export const waitForClose = async (socket: Socket): Promise<void> => {
  socket.on('error', () => {})
  if (!socket.closed) await new Promise((done) => socket.once('close', done))
}
