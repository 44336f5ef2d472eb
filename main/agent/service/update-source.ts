import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fsyncSync, statSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileSteps, retryWhileInUse } from '../../local-files/file-in-use.ts'
import { makeFolder } from '../../local-files/make-folder.ts'
import { createPlainFile, writeAll } from '../../local-files/plain-file.ts'
import { wordsOf } from '../domain/failure.ts'
import type { Release } from '../domain/update-rules.ts'
import type { Clock } from '../ports/clock.ts'
import type { FeedRead, FeedTrouble, FileFetch, UpdateSource } from '../ports/updates.ts'
import { isSafeAddress } from './addresses.ts'
import { type Connection, openConnection, type ProxyChoice } from './connection.ts'
import { failureOfError } from './errors.ts'
import { type ExchangeResult, exchange } from './exchange.ts'
import { readFeedIndex } from './feed-index.ts'
import { createScrub } from './scrub.ts'

/**
 * Hard case: The update feed is forged, outdated or damaged.
 * Sluice checks the signature, product, expiry and sequence number of the index, and the size and content of each file.
 * It follows no redirect and limits time and size. If a check fails, it installs nothing and reports this once.
 */

const CONNECT_TIMEOUT_MS = 10_000
const MAX_INDEX_BYTES = 1024 * 1024
const MAX_ERROR_BYTES = 64 * 1024

export type UpdateTimeouts = {
  /** Timeout while no bytes arrive. */
  readonly idleMs: number
  readonly indexMs: number
  /**
   * Timeout for a whole file. Without it, a server that sends one byte a second would keep the download open forever.
   */
  readonly fileMs: number
}

const defaultTimeouts: UpdateTimeouts = { idleMs: 30_000, indexMs: 30_000, fileMs: 4 * 3_600_000 }

type Options = {
  readonly proxy: () => ProxyChoice
  readonly caFile: () => string | undefined
  readonly clock: Clock
  readonly timeouts?: UpdateTimeouts
}

/** The reason continues a sentence that begins with “The update feed”. */
const refused = (reason: string): FeedTrouble => ({ ok: false, kind: 'refused', reason })
const unreachable = (reason: string): FeedTrouble => ({ ok: false, kind: 'unreachable', reason })

/** Null if the answer is complete and has status 200. */
const troubleOf = (result: ExchangeResult, url: URL, trustProblem: string | null): FeedTrouble | null => {
  const { host } = url
  switch (result.kind) {
    case 'answer':
    case 'too-large': {
      const { status } = result.answer
      if (status >= 300 && status < 400)
        return refused(`answers with a redirect (${status}), which Sluice does not follow`)
      if (status !== 200) return unreachable(`cannot be read: ${host} answers with status ${status}`)
      return result.kind === 'answer' ? null : refused('sends more bytes than Sluice accepts')
    }
    case 'timeout':
      return unreachable(`cannot be read: ${host} is too slow`)
    case 'cancelled':
      return unreachable('was not read: Sluice is stopping')
    case 'broken': {
      const scrub = createScrub([url.href, url.pathname + url.search].filter((text) => text !== '/'))
      const failure = failureOfError(result.error, { origin: 'control', host, scrub, trustProblem })
      return unreachable(`cannot be read: ${wordsOf(failure) ?? `${host} cannot be reached`}`)
    }
  }
}

/** Whether the file already has the content of the release. */
export const hasContent = async (
  file: string,
  { sizeBytes, sha256 }: Pick<Release, 'sizeBytes' | 'sha256'>,
): Promise<boolean> => {
  if (statSync(file, { throwIfNoEntry: false })?.size !== sizeBytes) return false
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex') === sha256
}

/**
 * Reads the update feed and its files through the station's proxy, and trusts the station's CA file. Sends neither the
 * API key nor the name of the station.
 */
export class HttpUpdateSource implements UpdateSource {
  readonly #options: Options
  readonly #timeouts: UpdateTimeouts

  constructor(options: Options) {
    this.#options = options
    this.#timeouts = options.timeouts ?? defaultTimeouts
  }

  async readIndex(feed: string, keys: readonly string[], signal: AbortSignal): Promise<FeedRead> {
    if (keys.length === 0) return refused('cannot be verified: this program contains no key for update feeds')
    const { idleMs, indexMs } = this.#timeouts
    const { trouble, body } = await this.#get(
      new URL(feed),
      MAX_INDEX_BYTES,
      { idleMs, bodyMs: indexMs },
      signal,
    )
    if (trouble !== null) return trouble
    const read = readFeedIndex(body, keys, this.#options.clock.wallMs())
    return read.ok ? { ok: true, index: read.index, bytes: body } : refused(read.reason)
  }

  async fetchFile(feed: string, release: Release, folder: string, signal: AbortSignal): Promise<FileFetch> {
    const target = path.join(folder, release.file)
    // After a restart, the file may already be here.
    if (await hasContent(target, release)) return { ok: true, file: target }
    makeFolder(folder)
    const temporary = `${target}.part`
    try {
      const trouble = await this.#download(feed, release, temporary, signal)
      if (trouble !== null) return trouble
      retryWhileInUse(() => fileSteps.rename(temporary, target), fileSteps)
      return { ok: true, file: target }
    } finally {
      fileSteps.remove(temporary)
    }
  }

  async #download(
    feed: string,
    release: Release,
    file: string,
    signal: AbortSignal,
  ): Promise<FeedTrouble | null> {
    const { idleMs, fileMs } = this.#timeouts
    const hash = createHash('sha256')
    let bytes = 0
    let writeError: NodeJS.ErrnoException | null = null
    const handle = createPlainFile(file)
    try {
      const { trouble } = await this.#get(
        new URL(release.file, feed),
        release.sizeBytes,
        { idleMs, bodyMs: fileMs },
        signal,
        (chunk) => {
          hash.update(chunk)
          bytes += chunk.length
          try {
            writeAll(handle, chunk)
          } catch (error) {
            writeError = error as NodeJS.ErrnoException
            throw error
          }
        },
      )
      if (writeError !== null)
        return unreachable(
          `has an update that this PC cannot save (${(writeError as NodeJS.ErrnoException).code})`,
        )
      if (trouble !== null) return trouble
      if (bytes !== release.sizeBytes)
        return refused(`sends ${bytes} of ${release.sizeBytes} bytes of ${release.file}`)
      if (hash.digest('hex') !== release.sha256)
        return refused(`sends different content than announced for ${release.file}`)
      fsyncSync(handle)
      return null
    } finally {
      closeSync(handle)
    }
  }

  async #get(
    url: URL,
    maxAnswerBytes: number,
    { idleMs, bodyMs }: { readonly idleMs: number; readonly bodyMs: number },
    signal: AbortSignal,
    onBody?: (chunk: Buffer) => void,
  ): Promise<{ readonly trouble: FeedTrouble | null; readonly body: Buffer }> {
    const nothing = Buffer.alloc(0)
    if (!isSafeAddress(url.href))
      return { trouble: refused('has a URL that is neither https nor on this PC'), body: nothing }
    const { dispatcher, trustProblem } = this.#connect()
    try {
      const result = await exchange({
        dispatcher,
        url,
        method: 'GET',
        headers: { 'user-agent': 'sluice', 'cache-control': 'no-cache' },
        body: null,
        idleMs,
        answerMs: idleMs,
        bodyMs,
        maxAnswerBytes,
        maxErrorBytes: MAX_ERROR_BYTES,
        ...(onBody === undefined ? {} : { onBody }),
        signal,
      })
      const trouble = troubleOf(result, url, trustProblem)
      return { trouble, body: result.kind === 'answer' ? result.answer.body : nothing }
    } finally {
      await dispatcher.destroy()
    }
  }

  #connect(): Connection {
    const caFile = this.#options.caFile()
    return openConnection({
      proxy: this.#options.proxy(),
      ...(caFile === undefined ? {} : { caFile }),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    })
  }
}
