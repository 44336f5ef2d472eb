import type { Failure, Outcome } from '../../domain/failure.ts'
import { type PartRange, partRange } from '../../domain/part-plan.ts'
import type { Part, Recording } from '../../journal/journal.ts'
import type { OpenRecording } from '../../ports/files.ts'
import type { ServiceClient } from '../../ports/service.ts'
import type { StageWorld } from '../../stage/stage.ts'

/**
 * Hard case: A program edits a file after hashing and restores its times.
 * The storage refuses the part (§4.2). Sluice then reads and hashes the part again, to distinguish a changed
 * file from a bad connection.
 */

export type PartTransferNeeds = 'hashing' | 'throttle' | 'progress'

export const rangeOf = ({ identity, partSizeBytes }: Recording, number: number): PartRange =>
  partRange(identity.sizeBytes, partSizeBytes ?? identity.sizeBytes, number)

/** Some storages report a bad checksum only as an invalid request. */
const isAboutContent = (failure: Failure): boolean =>
  failure.kind === 'part-corrupt' || (failure.kind === 'rejected' && [400, 422].includes(failure.status))

/** Sends single parts of one open file to their URLs. The caller decides which part comes next. */
export class PartTransfer {
  readonly #recording: Recording
  readonly #file: OpenRecording
  readonly #service: ServiceClient
  readonly #world: Pick<StageWorld, PartTransferNeeds>
  readonly #signal: AbortSignal
  /** The read buffers of sent parts, 2 MB per part. Reusing them avoids garbage collection. */
  readonly #spareBuffers: Buffer[][] = []

  constructor(
    recording: Recording,
    file: OpenRecording,
    service: ServiceClient,
    world: Pick<StageWorld, PartTransferNeeds>,
    signal: AbortSignal,
  ) {
    this.#recording = recording
    this.#file = file
    this.#service = service
    this.#world = world
    this.#signal = signal
  }

  async send(part: Part): Promise<Outcome<{ readonly etag: string }>> {
    const { progress, throttle } = this.#world
    const { id, identity } = this.#recording
    const { start, length } = rangeOf(this.#recording, part.number)
    let bytesSent = 0
    const buffers = this.#spareBuffers.pop() ?? []
    const outcome = await this.#service.sendPart({
      url: part.url ?? '',
      sizeBytes: length,
      sha256Base64: Buffer.from(part.sha256, 'hex').toString('base64'),
      body: () =>
        this.#file.read({
          start,
          length,
          identity,
          throttle: (bytes) => throttle(bytes, this.#signal),
          buffers,
        }),
      onProgress: (bytes) => {
        bytesSent += bytes
        progress.sending(id, part.number, bytesSent)
      },
      signal: this.#signal,
    })
    progress.partDone(id, part.number)
    if (!outcome.ok) return { ok: false, failure: await this.#diagnose(part, outcome.failure) }
    // Reuse the buffers only after success: after a failure, the socket may still hold a chunk.
    this.#spareBuffers.push(buffers)
    return outcome
  }

  /**
   * Finds the cause of a refusal (§4.2) by hashing the part again. Either the file has changed but kept its size and
   * times, or the bytes were damaged on the way.
   */
  async #diagnose(part: Part, failure: Failure): Promise<Failure> {
    if (!isAboutContent(failure)) return failure
    const { path } = this.#recording
    const digest = await this.#world.hashing.digest('sha256', path, rangeOf(this.#recording, part.number))
    if (!digest.ok) return digest.failure
    if (digest.value === part.sha256) return failure
    return { kind: 'file-changed', detail: 'its content differs from the hashed content' }
  }
}
