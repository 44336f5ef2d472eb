import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LyingFeed, newFeedKey } from '../../../../support/updates/lying-feed.ts'
import { UpdatingStation } from '../../../../support/updates/updating-station.ts'

const SETUP = 'Sluice-Setup-1.1.0-x64.exe'
const HOUR_MS = 3_600_000

let feed: LyingFeed
let station: UpdatingStation
beforeEach(async () => {
  feed = await LyingFeed.open()
  station = new UpdatingStation([feed.key.line])
  station.installs()
  station.set({ mode: 'automatic', feed: feed.url })
})
afterEach(async () => {
  station.close()
  await feed.close()
})

/** Lets the station check the same faulty feed three times. */
const checkThreeTimes = async () => {
  await station.step()
  await station.pass(HOUR_MS * 1.5)
  await station.pass(HOUR_MS * 1.5)
}

const expectOneReport = (code: 'feed-refused' | 'feed-unreachable', sentence: RegExp) => {
  expect(station.started).toEqual([])
  expect(station.sentences).toEqual([expect.stringMatching(sentence)])
  expect(station.sentences[0]).toContain(code)
  expect(station.reports).toEqual([`condition-began ${code}`])
  expect(station.warnings).toHaveLength(1)
  expect(station.files.filter((name) => name.endsWith('.exe') || name.endsWith('.part'))).toEqual([])
}

test('installs an update from a valid feed', async () => {
  await feed.publish(SETUP)
  await station.step(2)
  expect(station.started).toHaveLength(1)
  expect(station.files).toEqual([SETUP, 'feed.json'])
})

describe('installs nothing and reports once:', () => {
  test('a wrong signature', async () => {
    await feed.publish(SETUP)
    feed.lie = (name, response, whole) => {
      if (name !== 'feed.json') return false
      response.end(whole.toString().replace('1.1.0', '1.2.0'))
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /wrong signature/)
  })

  test('a signature of a different key', async () => {
    await feed.publish(SETUP)
    station.keys = [newFeedKey().line]
    await checkThreeTimes()
    expectOneReport('feed-refused', /wrong signature/)
  })

  test('a signature that was made for a different kind of file', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    station.keys = [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')]
    await feed.publish(SETUP)
    const { signed } = JSON.parse(feed.read().toString())
    feed.lie = (_, response) => {
      const signature = sign(null, Buffer.from(signed), privateKey).toString('base64')
      response.end(JSON.stringify({ signed, signature }))
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /wrong signature/)
  })

  test('a program without a key', async () => {
    await feed.publish(SETUP)
    station.keys = []
    await checkThreeTimes()
    expectOneReport('feed-refused', /no key/)
    expect(feed.requests).toEqual([])
  })

  test('an older version', async () => {
    await feed.publish('Sluice-Setup-0.9.0-x64.exe')
    await checkThreeTimes()
    expectOneReport('feed-refused', /offers version 0.9.0, which is older than version 1.0.0/)
  })

  test('a pinned version that is older', async () => {
    await feed.publish('Sluice-Setup-0.9.0-x64.exe')
    await feed.publish(SETUP)
    station.set({ mode: 'automatic', feed: feed.url, version: '0.9.0' })
    await checkThreeTimes()
    expectOneReport('feed-refused', /0.9.0, which is older/)
  })

  test('an index older than one that this station has seen', async () => {
    await feed.publish('Sluice-Setup-1.0.0-x64.exe')
    const old = feed.read()
    await feed.publish('Sluice-Setup-1.0.0-arm64.exe')
    await station.step()
    station.boot({ version: '0.9.0' })
    feed.lie = (name, response) => {
      if (name === 'feed.json') response.end(old)
      return name === 'feed.json'
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /older than the one that this station has seen/)
  })

  test('an index that has expired', async () => {
    await feed.publish(SETUP, { nowMs: station.nowMs - 100 * 24 * HOUR_MS })
    await checkThreeTimes()
    expectOneReport('feed-refused', /expired at/)
  })

  test('a different product', async () => {
    await feed.publish(SETUP)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    station.keys = [publicKey.export({ format: 'der', type: 'spki' }).toString('base64')]
    const signed = JSON.parse(feed.read().toString()).signed.replace('"sluice"', '"flume"')
    feed.lie = (_, response) => {
      const signature = sign(null, Buffer.from(`sluice update feed 1\n${signed}`), privateKey)
      response.end(JSON.stringify({ signed, signature: signature.toString('base64') }))
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /different product/)
  })

  test('half an index', async () => {
    await feed.publish(SETUP)
    feed.lie = (_, response, whole) => {
      response.end(whole.subarray(0, whole.length / 2))
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /not an update index/)
  })

  test('an endless index', async () => {
    await feed.publish(SETUP)
    feed.lie = (_, response) => {
      const block = Buffer.alloc(256 * 1024, 32)
      const send = () => {
        if (!response.destroyed) response.write(block, send)
      }
      send()
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /more bytes than Sluice accepts/)
  })

  const servingFile = (lie: (response: import('node:http').ServerResponse, whole: Buffer) => void) => {
    feed.lie = (name, response, whole) => {
      if (name === SETUP) lie(response, whole)
      return name === SETUP
    }
  }

  test('half a file', async () => {
    await feed.publish(SETUP)
    servingFile((response, whole) => void response.end(whole.subarray(0, 5)))
    await checkThreeTimes()
    expectOneReport('feed-refused', /sends 5 of \d+ bytes/)
  })

  test('a connection that breaks during a download', async () => {
    await feed.publish(SETUP)
    servingFile((response, whole) => {
      response.writeHead(200, { 'content-length': String(whole.length) })
      response.write(whole.subarray(0, 5), () => response.destroy())
    })
    await checkThreeTimes()
    expectOneReport('feed-unreachable', /cannot be read/)
  })

  test('a file with different content of the same size', async () => {
    await feed.publish(SETUP)
    servingFile((response, whole) => void response.end(Buffer.alloc(whole.length, 65)))
    await checkThreeTimes()
    expectOneReport('feed-refused', /different content/)
  })

  test('an endless file', async () => {
    await feed.publish(SETUP)
    servingFile((response) => {
      const send = () => {
        if (!response.destroyed) response.write(Buffer.alloc(64 * 1024), send)
      }
      send()
    })
    await checkThreeTimes()
    expectOneReport('feed-refused', /more bytes than Sluice accepts/)
  })

  test('a long error page', async () => {
    await feed.publish(SETUP)
    feed.lie = (_, response) => {
      response.writeHead(503).end(Buffer.alloc(128 * 1024, 32))
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-unreachable', /status 503/)
  })

  test('a server that never answers', async () => {
    await feed.publish(SETUP)
    feed.lie = () => true
    station.timeouts = { ...station.timeouts, idleMs: 300 }
    station.boot()
    await checkThreeTimes()
    expectOneReport('feed-unreachable', /too slow/)
  })

  test('a file that arrives one byte at a time', async () => {
    await feed.publish(SETUP, { content: 'x'.repeat(100_000) })
    servingFile((response) => {
      const timer = setInterval(() => (response.destroyed ? clearInterval(timer) : response.write('x')), 50)
    })
    station.timeouts = { ...station.timeouts, fileMs: 300 }
    station.boot()
    await checkThreeTimes()
    expectOneReport('feed-unreachable', /too slow/)
  })

  test('a redirect to a different host', async () => {
    await feed.publish(SETUP)
    const elsewhere = createServer((_, response) => response.end(feed.read()))
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    let visits = 0
    elsewhere.on('request', () => {
      visits += 1
    })
    const { port } = elsewhere.address() as AddressInfo
    feed.lie = (_, response) => {
      response.writeHead(302, { location: `http://localhost:${port}/feed.json` }).end()
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /redirect/)
    expect(visits).toBe(0)
    elsewhere.close()
  })

  test('a web page instead of the index', async () => {
    feed.lie = (_, response) => {
      response.end('<html>Sign in</html>')
      return true
    }
    await checkThreeTimes()
    expectOneReport('feed-refused', /not an update index/)
  })

  test('a feed that does not exist', async () => {
    await checkThreeTimes()
    expectOneReport('feed-unreachable', /status 404/)
  })
})

test('installs the update and ends the report once the feed is valid again', async () => {
  await feed.publish(SETUP)
  feed.lie = (_, response) => {
    response.end('nonsense')
    return true
  }
  await station.step()
  feed.lie = () => false
  await station.pass(HOUR_MS * 1.5)
  await station.step()
  expect(station.started).toHaveLength(1)
  expect(station.sentences.join()).not.toContain('feed-refused')
})

test('after an invalid index, installs nothing that an earlier index offered', async () => {
  await feed.publish(SETUP)
  station.isUploading = true
  await station.step(2)
  expect(station.memory.offered?.phase).toBe('waiting')
  feed.lie = (_, response) => {
    response.end('nonsense')
    return true
  }
  await station.pass(HOUR_MS * 1.5)
  station.isUploading = false
  await station.step(3)
  expect(station.started).toEqual([])
})
