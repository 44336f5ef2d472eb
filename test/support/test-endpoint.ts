import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectToAgent, type EndpointClient } from '../../main/endpoint/endpoint-client.ts'
import { Endpoint, type EndpointOptions } from '../../main/endpoint/endpoint-server.ts'
import { ENDPOINT_PROTOCOL } from '../../shared/ipc/endpoint-protocol.ts'

export const agentIdentity = {
  version: '1.2.3',
  pid: 7,
  account: 'station',
  host: 'terminal',
  dataFolder: '/data',
  logFolder: '/data/logs',
  settingsFile: '/data/settings.json',
  startedAt: '2026-03-12T10:00:00Z',
} as const

export const hello = { kind: 'hello', protocol: ENDPOINT_PROTOCOL, version: '1.2.3' }
export const isClosed = (socket: Socket) => () => socket.destroyed || socket.readableEnded

/** An endpoint in a folder of its own, with clients and raw connections. */
export class TestEndpoint {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'sluice-endpoint-'))
  readonly place = { path: path.join(this.folder, 'agent.sock'), token: null }
  /** The name of each call, and the reason of each request to reconnect. */
  readonly calledNames: string[] = []
  readonly sockets: Socket[] = []
  #endpoint: Endpoint | null = null

  get clients(): number {
    return this.endpoint.clients
  }

  get endpoint(): Endpoint {
    if (this.#endpoint === null) throw new Error('the endpoint is not open')
    return this.#endpoint
  }

  async open(change: Partial<EndpointOptions> = {}): Promise<void> {
    this.#endpoint = await Endpoint.open({
      place: this.place,
      groupId: null,
      agent: agentIdentity,
      answer: async (name) => {
        this.calledNames.push(name)
        return { ok: true, value: null }
      },
      reconnect: (reason) => this.calledNames.push(reason),
      settings: () => null,
      status: () => null,
      log: () => {},
      ...change,
    })
  }

  async connectClient(): Promise<EndpointClient> {
    const client = await connectToAgent(this.folder, { version: '1.2.3', clientIs: 'this program' })
    if (client === null) throw new Error('no agent listens')
    return client
  }

  /** A raw connection, on which a test can send any bytes. */
  async openRawConnection(): Promise<Socket> {
    const socket = createConnection(this.place.path)
    this.sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await this.#endpoint?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
