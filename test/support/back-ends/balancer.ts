import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Balancer = {
  readonly url: string
  /** Sets the ports of the instances. New connections go to each in turn. */
  setTargets(urls: readonly string[]): void
  close(): Promise<void>
}

/** A small load balancer: each connection goes to the next instance, or to a different one if that refuses. */
export const startBalancer = async (): Promise<Balancer> => {
  let targets: readonly number[] = []
  let turn = 0
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('error', () => {}).on('close', () => open.delete(client))
    const attempt = (left: number) => {
      if (left === 0) return void client.destroy()
      turn += 1
      const upstream = connect(targets[turn % targets.length]!, '127.0.0.1')
      upstream.once('error', () => {
        if (upstream.pending) attempt(left - 1)
        else client.destroy()
      })
      upstream.once('connect', () => {
        client.pipe(upstream).pipe(client)
        client.once('close', () => upstream.destroy())
        upstream.once('close', () => client.destroy())
      })
    }
    attempt(targets.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setTargets: (urls) => {
      targets = urls.map((url) => Number(new URL(url).port))
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
