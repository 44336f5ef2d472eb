import type { Socket } from 'node:net'

/** Waits for any kind of close. `once` of node:events would throw for a reset connection. */
export const waitForClose = async (socket: Socket): Promise<void> => {
  socket.on('error', () => {})
  if (!socket.closed) await new Promise((done) => socket.once('close', done))
}
