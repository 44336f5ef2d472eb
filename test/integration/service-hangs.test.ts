import { writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'
import { rawServer } from './service-support.ts'

let station: Station
afterEach(async () => {
  await station?.close()
})

test('a service that accepts and never answers is unreachable long before a timeout; Try now continues', async () => {
  station = await Station.open()
  const { port } = new URL(station.sandbox.baseUrl)
  let hangs = true
  const baseUrl = await rawServer((socket) => {
    socket.on('error', () => {})
    if (hangs) return
    const onward = net.connect(Number(port), '127.0.0.1')
    onward.on('error', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })
  station.configure({ service: { base_url: baseUrl } })
  writeFileSync(path.join(station.recordings, 'take.csv'), 'time,value\n0,1\n')
  const hosted = await HostedAgent.start(station)
  // Three timeouts in a row take three minutes.
  const shown = await until(
    'the service is shown as unreachable',
    () => (hosted.status?.station.serviceReachable === false ? hosted.status.station : null),
    60_000,
  )
  expect(shown.conditions).toMatchObject([{ code: 'service-unreachable', endsBy: 'time' }])
  expect([shown.state, shown.headline]).toEqual(['offline', 'Waiting for the network'])
  hangs = false
  hosted.reconnect()
  await hosted.reaches('take.csv', 'processed', 60_000)
  await until('the service is reachable', () => hosted.status?.station.serviceReachable)
})
