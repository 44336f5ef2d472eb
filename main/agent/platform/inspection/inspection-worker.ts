import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { systemClock } from '../../../../shared/clock/clock.ts'
import type { ByteSource } from '../../../../shared/formats/bounded-reader.ts'
import { inspect } from '../../../../shared/formats/inspect.ts'
import { sameFile } from '../../domain/file-identity.ts'
import { fileFailure, systemCode } from '../files/file-failure.ts'
import { whyOutsideSync } from '../files/inside-root.ts'
import { readFlags } from '../files/open-file.ts'
import { describeChange, identityOf } from '../files/stat-identity.ts'
import type { InspectionAnswer, InspectionJob } from './inspection-job.ts'
import { createRestForRecorder } from './rest-for-recorder.ts'

const restForRecorder = createRestForRecorder()

/** Opens the recording and, if its format needs them, files beside it. Closes all of them at the end. */
class OpenedFiles {
  readonly #root: string | null
  readonly #fds: number[] = []

  constructor(root: string | null) {
    this.#root = root
  }

  open(path: string): { readonly fd: number; readonly outside: string | null } {
    const fd = openSync(path, readFlags)
    this.#fds.push(fd)
    return { fd, outside: whyOutsideSync(fd, path, this.#root) }
  }

  source(path: string, fd: number, size: number): ByteSource {
    const device = String(fstatSync(fd, { bigint: true }).dev)
    return {
      name: basename(path),
      size,
      read: async (offset, length) => {
        const buffer = Buffer.allocUnsafe(length)
        let filledBytes = 0
        const startedMs = systemClock.monotonicMs()
        while (filledBytes < length) {
          const bytesRead = readSync(fd, buffer, filledBytes, length - filledBytes, offset + filledBytes)
          if (bytesRead === 0) break
          filledBytes += bytesRead
        }
        restForRecorder(device, systemClock.monotonicMs() - startedMs)
        return buffer.subarray(0, filledBytes)
      },
      openBeside: async (name) => this.#openBeside(join(dirname(path), basename(name))),
    }
  }

  /**
   * Null if the file cannot be used, for example because it is missing. Sluice then inspects the recording without it.
   */
  #openBeside(path: string): ByteSource | null {
    try {
      const { fd, outside } = this.open(path)
      const stats = fstatSync(fd)
      return outside === null && stats.isFile() ? this.source(path, fd, stats.size) : null
    } catch (error) {
      if (systemCode(error) === null) throw error
      return null
    }
  }

  close(): void {
    for (const fd of this.#fds) closeSync(fd)
  }
}

const run = async ({ path, root, identity, timeLimitMs }: InspectionJob): Promise<InspectionAnswer> => {
  const files = new OpenedFiles(root)
  try {
    const { fd, outside } = files.open(path)
    if (outside !== null) return { kind: 'failed', failure: { kind: 'file-unreadable', detail: outside } }
    const readIdentity = () => identityOf(fstatSync(fd, { bigint: true }))
    const limits = { clock: systemClock, timeMs: timeLimitMs }
    const inspection = await inspect(files.source(path, fd, readIdentity().sizeBytes), limits)
    const current = readIdentity()
    if (!sameFile(current, identity))
      return { kind: 'failed', failure: { kind: 'file-changed', detail: describeChange(identity, current) } }
    return { kind: 'inspected', inspection }
  } catch (error) {
    return { kind: 'failed', failure: fileFailure(error) }
  } finally {
    files.close()
  }
}

parentPort?.on('message', async (job: InspectionJob) => parentPort?.postMessage(await run(job)))
