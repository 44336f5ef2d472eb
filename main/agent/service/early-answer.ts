import type { Socket } from 'node:net'

/** A dead peer that neither closes nor says anything more. */
const LONGEST_HOLD_MS = 1000

const isClosedByPeer = (error: Error): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EPIPE' || code === 'ECONNRESET'
}

/**
 * A storage that refuses a part answers before it has the bytes and closes. Whoever is still writing then meets
 * EPIPE or ECONNRESET while the answer lies unread in the kernel, and Node throws the socket away with it
 * (measured: every time, if the loop was busy for 0.3 ms). So a failed write waits until the socket was read to
 * its end.
 */
export const readBeforeFailing = (socket: Socket): void => {
  type Done = (error?: Error | null) => void
  const patient =
    (done: Done): Done =>
    (error) => {
      if (error == null || !isClosedByPeer(error) || socket.destroyed || socket.readableEnded)
        return done(error)
      const release = () => {
        clearTimeout(timer)
        socket.off('close', release).off('end', release)
        done(error)
      }
      const timer = setTimeout(release, LONGEST_HOLD_MS)
      socket.once('close', release).once('end', release)
    }
  const write = socket._write
  const writev = socket._writev
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, patient(done))
  if (writev !== undefined) socket._writev = (chunks, done) => writev.call(socket, chunks, patient(done))
}
