import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { publishFeed } from '../../../scripts/building/update-feed.mjs'

export type FeedKey = { readonly privateKey: string; readonly line: string }

const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString()

export const newFeedKey = (): FeedKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privateKey: pem(privateKey),
    line: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

/** Answers one request in place of the server. Returns false if the server should answer honestly. */
export type Lie = (name: string, response: ServerResponse, whole: Buffer) => boolean

/** A real feed in a folder, and a web server that may lie about it. */
export class LyingFeed {
  readonly key: FeedKey
  readonly folder = mkdtempSync(path.join(tmpdir(), 'sluice-feed-'))
  readonly requests: string[] = []
  lie: Lie = () => false
  readonly #server: Server

  private constructor(server: Server, key: FeedKey) {
    this.#server = server
    this.key = key
  }

  static async open(key: FeedKey = newFeedKey()): Promise<LyingFeed> {
    const server = createServer()
    const feed = new LyingFeed(server, key)
    server.on('request', feed.#serve)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return feed
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/feed.json`
  }

  /** Publishes an installer as `npm run feed` does. */
  publish = async (
    name: string,
    {
      channel = 'stable',
      nowMs = Date.now(),
      validDays = 90,
      key = this.key,
      content = `program of ${name}`,
    } = {},
  ): Promise<void> => {
    const source = mkdtempSync(path.join(tmpdir(), 'sluice-dist-'))
    const installer = path.join(source, name)
    writeFileSync(installer, content)
    await publishFeed({
      folder: this.folder,
      installers: [installer],
      channel,
      privateKey: key.privateKey,
      validDays,
      nowMs,
    })
    rmSync(source, { recursive: true })
  }

  read = (name = 'feed.json'): Buffer => readFileSync(path.join(this.folder, name))

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    rmSync(this.folder, { recursive: true, force: true })
  }

  readonly #serve: RequestListener = (request, response) => {
    const name = (request.url ?? '').slice(1)
    this.requests.push(name)
    let whole: Buffer = Buffer.alloc(0)
    try {
      whole = this.read(name)
    } catch {
      if (!this.lie(name, response, whole)) response.writeHead(404).end()
      return
    }
    if (!this.lie(name, response, whole)) response.writeHead(200).end(whole)
  }
}
