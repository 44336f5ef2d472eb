import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { BlockWriter } from './block-writer.ts'

export type ReceivedFile = { readonly sha256: Buffer; readonly md5: string | null }

export type BodyTarget = {
  readonly file: FileHandle
  readonly wantsMd5: boolean
}

/**
 * Streams a body to a file, hashes it and resolves when the file is on disk. Reading from the socket waits for the
 * disk, so a large body needs no more memory. Null if the client disconnected before the end.
 *
 * It uses events, because `for await` joins waiting chunks and so copies every byte once more.
 */
export function receiveBody(body: IncomingMessage, target: BodyTarget): Promise<ReceivedFile | null> {
  const sha256 = createHash('sha256')
  const md5 = target.wantsMd5 ? createHash('md5') : null
  const writer = new BlockWriter(target.file, () => void body.resume())
  return new Promise((resolve, reject) => {
    // If the client disconnected while the file was being created, the events of the body have already fired.
    if (body.destroyed) return resolve(null)
    let hasEnded = false
    body.on('data', (chunk: Buffer) => {
      sha256.update(chunk)
      md5?.update(chunk)
      writer.add(chunk)
      if (writer.isFull) body.pause()
    })
    body.on('end', () => {
      hasEnded = true
      const receivedFile = { sha256: sha256.digest(), md5: md5?.digest('hex') ?? null }
      writer.end().then(() => resolve(receivedFile), reject)
    })
    body.on('error', () => {})
    body.on('close', () => {
      if (!hasEnded) resolve(null)
    })
  })
}
