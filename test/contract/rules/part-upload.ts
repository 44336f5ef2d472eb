import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { exchange, send } from '../raw-http.ts'
import { section } from '../rule.ts'
import { expectStorageError, patterned, sha256 } from '../service.ts'

const bytes = patterned(2_500)
const part1 = bytes.subarray(0, 1_000)

export const partUploadRules = [
  ...section('§4.2', {
    'a PUT of the raw bytes with their checksum, without a bearer token, answers 200 with an ETag': async ({
      service,
    }) => {
      const created = await service.create(bytes)
      const answer = await service.put(created.upload.parts[0]!.url, part1)
      expect(answer.status).toBe(200)
      expect(answer.headers.etag).toMatch(/^"[0-9a-f]{32}"$/)
    },
    'the signed URL names the checksum header among its signed headers': async ({ service }) => {
      const created = await service.create(bytes)
      const query = new URL(created.upload.parts[0]!.url).searchParams
      expect(query.get('X-Amz-SignedHeaders')?.split(';')).toContain('x-amz-checksum-sha256')
    },
    'the storage chooses the name of the checksum header': async ({ launch }) => {
      const { service } = await launch(
        '--min-part-size',
        '1000',
        '--checksum-header',
        'x-store-checksum-sha256',
      )
      const created = await service.create(bytes)
      const { url } = created.upload.parts[0]!
      expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toContain('x-store-checksum-sha256')
      expectStorageError(await service.put(url, part1), 400, 'InvalidRequest')
      const namedHeaders = { 'x-store-checksum-sha256': sha256(part1, 'base64') }
      expect((await send({ method: 'PUT', url, body: part1, headers: namedHeaders })).status).toBe(200)
    },
    'a corrupted part is refused at once, not stored, and still listed as missing': async ({ service }) => {
      const created = await service.create(bytes)
      const { url } = created.upload.parts[0]!
      const corrupt = Buffer.from(part1)
      corrupt[500]! ^= 1
      const headers = { 'x-amz-checksum-sha256': sha256(part1, 'base64') }
      expectStorageError(await service.put(url, corrupt, headers), 400, 'BadDigest')
      const session = await service.retrieve(created.id)
      expect(session.upload!.parts.map((part) => part.number)).toEqual([1, 2, 3])
      expect(await service.operate('GET', `/objects/${created.id}`)).toMatchObject({ bytes: 0, parts: [] })
    },
    'a missing or malformed checksum is refused': async ({ service }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      expectStorageError(await send({ method: 'PUT', url, body: part1 }), 400, 'InvalidRequest')
      for (const checksum of [
        '',
        'not base64!',
        sha256(part1, 'hex'),
        sha256(part1, 'base64').slice(0, 40),
      ]) {
        const headers = { 'x-amz-checksum-sha256': checksum }
        expectStorageError(await service.put(url, part1, headers), 400, 'InvalidRequest')
      }
    },
    'a body longer or shorter than the part is refused': async ({ service }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      expectStorageError(await service.put(url, bytes.subarray(0, 1_001)), 400, 'EntityTooLarge')
      expectStorageError(await service.put(url, bytes.subarray(0, 999)), 400, 'EntityTooSmall')
    },
    'a body without Content-Length is refused': async ({ service }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      const headers = { 'transfer-encoding': 'chunked' }
      expectStorageError(await service.put(url, part1, headers), 411, 'MissingContentLength')
    },
    'an expired URL is refused': async ({ service }) => {
      const created = await service.create(bytes)
      const lifetimeS = (Date.parse(created.upload.expires_at) - Date.now()) / 1000
      await service.operate('POST', '/clock', { offset_s: Math.ceil(lifetimeS) + 1 })
      try {
        expectStorageError(await service.put(created.upload.parts[0]!.url, part1), 403, 'AccessDenied')
      } finally {
        await service.operate('POST', '/clock', { offset_s: 0 })
      }
    },
    'an unsigned or tampered URL is refused': async ({ service }) => {
      const url = new URL((await service.create(bytes)).upload.parts[0]!.url)
      const unsigned = new URL(url)
      unsigned.search = ''
      expectStorageError(await service.put(unsigned.href, part1), 403, 'AccessDenied')
      const withLaterExpiry = new URL(url)
      withLaterExpiry.searchParams.set('X-Amz-Expires', '999999')
      const otherDate = new URL(url)
      otherDate.searchParams.set('X-Amz-Date', '20990101T000000Z')
      const otherHeader = new URL(url)
      otherHeader.searchParams.set('X-Amz-SignedHeaders', 'host')
      const otherSignature = new URL(url)
      otherSignature.searchParams.set('X-Amz-Signature', '0'.repeat(64))
      for (const tampered of [withLaterExpiry, otherDate, otherHeader, otherSignature]) {
        expectStorageError(await service.put(tampered.href, part1), 403, 'SignatureDoesNotMatch')
      }
    },
    'a URL does not work for a different part or session': async ({ service }) => {
      const session = await service.create(bytes)
      const otherSession = await service.create(bytes)
      const url = session.upload.parts[0]!.url
      const part2 = bytes.subarray(1_000, 2_000)
      const otherPart = url.replace(`/${session.id}/1?`, `/${session.id}/2?`)
      expectStorageError(await service.put(otherPart, part2), 403, 'SignatureDoesNotMatch')
      expectStorageError(
        await service.put(url.replace(session.id, otherSession.id), part1),
        403,
        'SignatureDoesNotMatch',
      )
    },
    'a part URL accepts only PUT, and other paths do not exist': async ({ service }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      expectStorageError(await send({ method: 'GET', url }), 405, 'MethodNotAllowed')
      expectStorageError(
        await service.put(`${service.sandbox.uploadUrl}/../etc/passwd`, part1),
        404,
        'NoSuchKey',
      )
    },
    'a part sent again with the same bytes gets the same ETag': async ({ service }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      const first = await service.put(url, part1)
      const second = await service.put(url, part1)
      expect(second.status).toBe(200)
      expect(second.headers.etag).toBe(first.headers.etag)
    },
    'before completion, a second PUT of a part with different bytes replaces the stored bytes': async ({
      service,
    }) => {
      const created = await service.create(bytes)
      const { url } = created.upload.parts[0]!
      const wrongAnswer = await service.put(url, patterned(1_000, 9))
      const rightAnswer = await service.put(url, part1)
      expect(rightAnswer.headers.etag).not.toBe(wrongAnswer.headers.etag)
      const etags = await service.putParts(created.upload.parts.slice(1), bytes, 1_000)
      expect((await service.complete(created.id, etags.set(1, rightAnswer.headers.etag!))).status).toBe(200)
    },
    'parts are refused after completion or deletion': async ({ service }) => {
      const created = await service.create(part1)
      const { url } = created.upload.parts[0]!
      const etags = await service.putParts(created.upload.parts, part1, 1_000)
      await service.complete(created.id, etags)
      expectStorageError(await service.put(url, part1), 409, 'OperationAborted')
      await service.call('DELETE', `/v1/sessions/${created.id}`)
      expectStorageError(await service.put(url, part1), 404, 'NoSuchUpload')
    },
    'a part whose connection breaks leaves no file behind': async ({ service }) => {
      const created = await service.create(bytes)
      const url = new URL(created.upload.parts[0]!.url)
      const head = `PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 1000\r\n`
      const checksum = `x-amz-checksum-sha256: ${sha256(part1, 'base64')}\r\n\r\n`
      await new Promise<void>((resolve) => {
        const socket = connect(Number(url.port), url.hostname, () => {
          socket.write(Buffer.concat([Buffer.from(head + checksum), part1.subarray(0, 600)]), () => {
            socket.resetAndDestroy()
          })
        })
        socket.on('close', () => resolve())
      })
      expect((await service.put(url.href, part1)).status).toBe(200)
      await service.waitUntilNoOrphans()
    },
    'with Expect: 100-continue, an unsigned URL is refused before the client sends the body': async ({
      service,
    }) => {
      const created = await service.create(bytes)
      const url = new URL(created.upload.parts[0]!.url)
      const answer = await exchange(
        url.href,
        `PUT ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    },
  }),
  ...section('§5.6', {
    'a part upload is authorised by the URL alone; an API key in its headers changes nothing': async ({
      service,
    }) => {
      const { url } = (await service.create(bytes)).upload.parts[0]!
      const headers = { authorization: `Bearer ${service.sandbox.keys.revoked}` }
      expect((await service.put(url, part1, headers)).status).toBe(200)
    },
  }),
  ...section('§4.2, storage convention', {
    'with --md5-etags the ETag is the quoted MD5 of the part': async ({ launch }) => {
      const { service } = await launch('--min-part-size', '1000', '--md5-etags')
      const { url } = (await service.create(bytes)).upload.parts[0]!
      const md5 = createHash('md5').update(part1).digest('hex')
      expect((await service.put(url, part1)).headers.etag).toBe(`"${md5}"`)
    },
  }),
]
