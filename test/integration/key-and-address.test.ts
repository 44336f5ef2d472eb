import http from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { HostedAgent } from '../support/hosted-agent.ts'
import { Station } from '../support/station.ts'
import { listen } from './service-support.ts'

let station: Station
let hosted: HostedAgent
afterEach(async () => {
  await station?.close()
})

test('a different address gets no request until the user enters a key for it', async () => {
  station = await Station.open()
  station.configure()
  hosted = await HostedAgent.start(station)
  const ownUrl = station.sandbox.baseUrl
  expect(await hosted.call('testKey', { baseUrl: ownUrl })).toMatchObject({ kind: 'write' })

  const receivedKeys: (string | undefined)[] = []
  const port = await listen(
    http.createServer(({ headers }, response) => {
      receivedKeys.push(headers.authorization)
      response.writeHead(401).end()
    }),
  )
  const baseUrl = `http://127.0.0.1:${port}`
  await expect(hosted.call('testKey', { baseUrl })).rejects.toThrow('Enter the key for this address.')
  await expect(hosted.call('testKey', { baseUrl: ownUrl.replace('127.0.0.1', 'localhost') })).rejects.toThrow(
    'Enter the key for this address.',
  )
  expect(receivedKeys).toEqual([])
  await hosted.call('testKey', { baseUrl, apiKey: 'svc_test_typed_for_it' })
  expect(receivedKeys).toEqual(['Bearer svc_test_typed_for_it'])
})
