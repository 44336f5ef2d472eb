import { writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { makeCertificate } from '../../support/certificate.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { OwnNetwork } from '../../support/faults/own-network.ts'
import { play } from '../../support/faults/play.ts'
import { mountedDisk, ownNetwork, program } from '../../support/needs.ts'

/** The agent drops a silent connection after 60 s. */
const vanishedMs = 75_000
const awayMs = 20_000

play('half-open', [ownNetwork], async ({ station }) => {
  const network = new OwnNetwork()
  onTestFinished(() => network.close())
  const tls = makeCertificate(network.here.split('.').map(Number))
  const one = await station([], { host: network.here, address: network.here, tls })
  // An answer on the wire never arrived.
  one.allowed.resends = 'unjournaled'
  one.configure({ service: { ca_file: tls.certFile } })
  await recordHalfWay(one)
  one.run({ through: network.through })
  await waitForHalfWay(one)
  network.cut()
  await one.record('new.bin')
  await sleep(vanishedMs)
  const before = one.proxy.count()
  network.join()
  one.proxy.rule = () => null
  await one.waitForState('processed', 3)
  return { 'silent for s': vanishedMs / 1_000, 'requests by then': before }
})

const name = 'service.test'

play('dns-gone', [mountedDisk, program('unshare')], async ({ station }) => {
  const tls = makeCertificate(name)
  const one = await station([], { host: name, tls })
  one.configure({ service: { ca_file: tls.certFile } })
  const hosts = path.join(one.station.root, 'hosts')
  const resolver = path.join(one.station.root, 'resolv.conf')
  const known = (is: boolean) => writeFileSync(hosts, is ? `127.0.0.1 ${name}\n` : '127.0.0.1 localhost\n')
  known(true)
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  const script = 'mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && exec "$@"'
  await recordHalfWay(one)
  one.run({ through: ['unshare', '--mount', 'sh', '-c', script, 'sh', hosts, resolver] })
  await waitForHalfWay(one)
  known(false)
  one.proxy.rule = () => null
  // Closes all connections. New ones need the name, which no longer resolves.
  await one.proxy.close('control')
  await one.proxy.close('storage')
  await one.proxy.open('control')
  await one.proxy.open('storage')
  await one.record('new.bin')
  await one.waitForCondition('service-unreachable', 'storage-unreachable')
  const before = one.proxy.count()
  await sleep(awayMs)
  expect(one.proxy.count(), 'no connection got through').toBe(before)
  known(true)
  await one.waitForState('processed', 3)
  return { 'gone for s': awayMs / 1_000 }
})

/** A CONNECT proxy that requires a sign-in until the test ends this. */
const openProxy = async () => {
  const seen = { refused: 0, tunnels: 0, signIn: true }
  const server = http.createServer((_request, response) => void response.writeHead(407).end())
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    socket.on('error', () => {})
    if (seen.signIn) {
      seen.refused += 1
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
      return
    }
    seen.tunnels += 1
    const { port } = new URL(`http://${request.url}`)
    const onward = net.connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('close', () => onward.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

play('proxy-407', [], async ({ station }) => {
  const tls = makeCertificate(name)
  const one = await station([], { host: name, tls })
  const { url, seen } = await openProxy()
  one.configure({ service: { ca_file: tls.certFile, proxy: url } })
  for (const file of ['a.bin', 'b.bin']) await one.record(file)
  one.run()
  await one.waitForCondition('proxy-sign-in')
  await sleep(15_000)
  expect(one.proxy.count(), 'nothing got through').toBe(0)
  const { refused } = seen
  seen.signIn = false
  await one.waitForState('processed', 2)
  return { 'tunnels refused': refused }
})

play('wrong-chain', [], async ({ station }) => {
  const tls = makeCertificate([127, 0, 0, 1])
  const one = await station([], { tls })
  for (const file of ['a.bin', 'b.bin']) await one.record(file)
  const agent = await one.host()
  await one.waitForCondition('certificate-refused')
  expect(one.proxy.count(), 'not a byte was sent').toBe(0)
  one.configure({ service: { ca_file: tls.certFile } })
  agent.configure()
  await one.waitForState('processed', 2)
  return {}
})
