import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { BlockWriter } from './block-writer.ts'

export type Received = { readonly sha256: Buffer; readonly md5: string | null }

export type BodyTarget = {
  readonly file: FileHandle
  readonly wantMd5: boolean
}

/**
 * Streams a body to a file while hashing it, and resolves when it is on disk. Reading from the socket waits
 * for the disk, so memory stays flat whatever the size. `null` when the client went away before the end.
 *
 * By events and not by `for await`, which joins the chunks it finds waiting: one more copy of every byte.
 */
export function receiveBody(body: IncomingMessage, target: BodyTarget): Promise<Received | null> {
  const sha256 = createHash('sha256')
  const md5 = target.wantMd5 ? createHash('md5') : null
  const writer = new BlockWriter(target.file, () => void body.resume())
  return new Promise((resolve, reject) => {
    // Gone while the file was being made: its events have passed and will not come again.
    if (body.destroyed && !body.complete) return resolve(null)
    body.on('data', (chunk: Buffer) => {
      sha256.update(chunk)
      md5?.update(chunk)
      writer.add(chunk)
      if (writer.full) body.pause()
    })
    body.on('end', () => {
      const received = { sha256: sha256.digest(), md5: md5?.digest('hex') ?? null }
      writer.end().then(() => resolve(received), reject)
    })
    body.on('error', () => {})
    body.on('close', () => {
      if (!body.complete) resolve(null)
    })
  })
}
