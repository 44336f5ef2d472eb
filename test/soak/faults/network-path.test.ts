import { writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { makeCertificate } from '../../support/certificate.ts'
import { recordHalfWay, waitForHalfWay } from '../../support/faults/half-way.ts'
import { OwnNetwork } from '../../support/faults/own-network.ts'
import { testFault } from '../../support/faults/test-fault.ts'
import { mountedDisk, ownNetwork, program } from '../../support/needs.ts'

/** Longer than 60 s, after which the agent drops a silent connection. */
const SILENT_MS = 75_000
const NAME_MISSING_MS = 20_000

testFault('half-open', [ownNetwork], async ({ station }) => {
  const network = new OwnNetwork()
  onTestFinished(() => network.close())
  const tls = makeCertificate(network.here.split('.').map(Number))
  const faultStation = await station([], { host: network.here, address: network.here, tls })
  // The cut can lose the answer to a part, so the agent may send that part again.
  faultStation.allowed.resends = 'unjournaled'
  faultStation.configure({ service: { ca_file: tls.certFile } })
  await recordHalfWay(faultStation)
  faultStation.run({ through: network.through })
  await waitForHalfWay(faultStation)
  network.cut()
  await faultStation.record('new.bin')
  await sleep(SILENT_MS)
  const before = faultStation.proxy.count()
  network.join()
  faultStation.proxy.rule = () => null
  await faultStation.waitForState('processed', 3)
  return { 'seconds silent': SILENT_MS / 1_000, 'requests before the fault ended': before }
})

const name = 'service.test'

testFault('dns-gone', [mountedDisk, program('unshare')], async ({ station }) => {
  const tls = makeCertificate(name)
  const faultStation = await station([], { host: name, tls })
  faultStation.configure({ service: { ca_file: tls.certFile } })
  const hosts = path.join(faultStation.station.root, 'hosts')
  const resolver = path.join(faultStation.station.root, 'resolv.conf')
  const setNameKnown = (isKnown: boolean) =>
    writeFileSync(hosts, isKnown ? `127.0.0.1 ${name}\n` : '127.0.0.1 localhost\n')
  setNameKnown(true)
  writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n')
  const script = 'mount --bind "$1" /etc/hosts && mount --bind "$2" /etc/resolv.conf && shift 2 && exec "$@"'
  await recordHalfWay(faultStation)
  faultStation.run({ through: ['unshare', '--mount', 'sh', '-c', script, 'sh', hosts, resolver] })
  await waitForHalfWay(faultStation)
  setNameKnown(false)
  faultStation.proxy.rule = () => null
  // `close` ends all connections. New connections need the name, which no longer resolves.
  await faultStation.proxy.close('control')
  await faultStation.proxy.close('storage')
  await faultStation.proxy.open('control')
  await faultStation.proxy.open('storage')
  await faultStation.record('new.bin')
  await faultStation.waitForCondition('service-unreachable', 'storage-unreachable')
  const before = faultStation.proxy.count()
  await sleep(NAME_MISSING_MS)
  expect(faultStation.proxy.count(), 'no connection got through').toBe(before)
  setNameKnown(true)
  await faultStation.waitForState('processed', 3)
  return { 'seconds without DNS': NAME_MISSING_MS / 1_000 }
})

/** Starts a CONNECT proxy that requires a sign-in until the test changes `requiresSignIn`. */
const openProxy = async () => {
  const state = { refused: 0, requiresSignIn: true }
  const server = http.createServer((_request, response) => void response.writeHead(407).end())
  server.on('connect', (request: http.IncomingMessage, socket: net.Socket) => {
    socket.on('error', () => {})
    if (state.requiresSignIn) {
      state.refused += 1
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const { port } = new URL(`http://${request.url}`)
    const tunnel = net.connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      tunnel.pipe(socket).pipe(tunnel)
    })
    tunnel.on('error', () => socket.destroy())
    socket.on('close', () => tunnel.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state }
}

testFault('proxy-407', [], async ({ station }) => {
  const tls = makeCertificate(name)
  const faultStation = await station([], { host: name, tls })
  const { url, state } = await openProxy()
  faultStation.configure({ service: { ca_file: tls.certFile, proxy: url } })
  for (const file of ['a.bin', 'b.bin']) await faultStation.record(file)
  faultStation.run()
  await faultStation.waitForCondition('proxy-sign-in')
  await sleep(15_000)
  expect(faultStation.proxy.count(), 'nothing got through').toBe(0)
  const { refused } = state
  state.requiresSignIn = false
  await faultStation.waitForState('processed', 2)
  return { 'tunnels refused': refused }
})

testFault('wrong-chain', [], async ({ station }) => {
  const tls = makeCertificate([127, 0, 0, 1])
  const faultStation = await station([], { tls })
  for (const file of ['a.bin', 'b.bin']) await faultStation.record(file)
  const agent = await faultStation.host()
  await faultStation.waitForCondition('certificate-refused')
  expect(faultStation.proxy.count(), 'not a byte was sent').toBe(0)
  faultStation.configure({ service: { ca_file: tls.certFile } })
  agent.configure()
  await faultStation.waitForState('processed', 2)
  return {}
})
