import { writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { listen } from '../integration/service-support.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station, until } from '../support/station.ts'

let station: Station
afterEach(async () => {
  await station?.close()
})

test('a service that never answers counts as unreachable before its requests time out, and Try now probes again', async () => {
  station = await Station.open()
  let isHanging = true
  const server = http.createServer((_, response) => {
    if (!isHanging) response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
  })
  station.configure({ service: { base_url: `http://127.0.0.1:${await listen(server)}` } })
  writeFileSync(path.join(station.recordings, 'take.csv'), 'time,value\n0,1\n')
  const hosted = await HostedAgent.start(station)
  // Three timeouts in a row also make the service count as unreachable, but they take three minutes.
  const stationStatus = await until(
    'the service is shown as unreachable',
    () => (hosted.status?.station.serviceReachable === false ? hosted.status.station : null),
    60_000,
  )
  expect(stationStatus.conditions).toMatchObject([{ code: 'service-unreachable', endsBy: 'time' }])
  expect([stationStatus.state, stationStatus.headline]).toEqual([
    'offline',
    'Service unreachable, Sluice keeps trying',
  ])
  isHanging = false
  hosted.reconnect()
  // A pending request would time out only after a minute. Try now (`reconnect`) ends it and sends a new probe at once.
  await until('the service is reachable', () => hosted.status?.station.serviceReachable, 45_000)
})
