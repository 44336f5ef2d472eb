import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Balancer = {
  readonly url: string
  /** Sets the URLs of the instances. New connections go to each instance in turn. */
  setTargets(urls: readonly string[]): void
  close(): Promise<void>
}

/** A small load balancer: each connection goes to the next instance that accepts it. */
export const startBalancer = async (): Promise<Balancer> => {
  let targets: readonly number[] = []
  let turn = 0
  const openSockets = new Set<Socket>()
  const server = createServer((client) => {
    openSockets.add(client)
    client.on('error', () => {}).on('close', () => openSockets.delete(client))
    const connectNext = (attemptsLeft: number) => {
      if (attemptsLeft === 0) return void client.destroy()
      turn += 1
      const upstream = connect(targets[turn % targets.length]!, '127.0.0.1')
      upstream.once('error', () => {
        if (upstream.pending) connectNext(attemptsLeft - 1)
        else client.destroy()
      })
      upstream.once('connect', () => {
        client.pipe(upstream).pipe(client)
        client.once('close', () => upstream.destroy())
        upstream.once('close', () => client.destroy())
      })
    }
    connectNext(targets.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTargets: (urls) => {
      targets = urls.map((url) => Number(new URL(url).port))
    },
    async close() {
      for (const socket of openSockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
