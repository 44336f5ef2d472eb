import type { Socket } from 'node:net'

/** A dead peer neither closes the connection nor sends anything. */
const MAX_DELAY_MS = 1000

const isClosedByPeer = (error: Error): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EPIPE' || code === 'ECONNRESET'
}

/**
 * A storage that refuses a part answers early and closes the connection. If Sluice is still writing, the write fails,
 * and Node destroys the socket before it has read the answer (measured: every time, if the event loop was busy for 0.3
 * ms). So this function delays the error until the socket is read to its end or closed, at most for `MAX_DELAY_MS`.
 */
export const readBeforeFailing = (socket: Socket): void => {
  type Done = (error?: Error | null) => void
  const afterReading =
    (done: Done): Done =>
    (error) => {
      if (error == null || !isClosedByPeer(error) || socket.destroyed || socket.readableEnded)
        return done(error)
      const release = () => {
        clearTimeout(timer)
        socket.off('close', release).off('end', release)
        done(error)
      }
      const timer = setTimeout(release, MAX_DELAY_MS)
      socket.once('close', release).once('end', release)
    }
  const write = socket._write
  const writev = socket._writev
  socket._write = (chunk, encoding, done) => write.call(socket, chunk, encoding, afterReading(done))
  if (writev !== undefined) socket._writev = (chunks, done) => writev.call(socket, chunks, afterReading(done))
}
