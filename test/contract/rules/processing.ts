import { expect } from 'vitest'
import type { Session } from '../../../shared/contract/control-api.ts'
import { lz4, zstd } from '../compressions.ts'
import { section } from '../rule.ts'
import { mcapFile, wavFile } from '../sample-files.ts'
import { patterned, type Service } from '../service.ts'

async function uploadAndProcess(service: Service, filename: string, bytes: Buffer): Promise<Session> {
  return service.waitUntilProcessed(await service.upload(bytes, { filename, partSizeBytes: 100_000 }))
}

const tenSeconds = {
  status: 'processed',
  channels: ['camera.front.image', 'imu.data'],
  recorded_at: '2023-11-14T22:13:20.000Z',
  duration_s: 10,
  issues: [],
}

export const processingRules = [
  ...section('§3', {
    'processing ends in processed, with processed_at and at least one segment': async ({ service }) => {
      const session = await uploadAndProcess(service, 'run.mcap', await mcapFile({ seconds: 150 }))
      expect(session).toMatchObject({ status: 'processed', segment_count: 3 })
      expect(Date.parse(session.processed_at!)).toBeGreaterThanOrEqual(Date.parse(session.created_at))
    },
    'a truncated MCAP file ends in failed, with an issue of severity error': async ({ service }) => {
      const completeFile = await mcapFile()
      for (const keptBytes of [
        completeFile.length - 1,
        completeFile.length - 8,
        Math.floor(completeFile.length / 2),
        5,
      ]) {
        const session = await uploadAndProcess(service, 'cut.mcap', completeFile.subarray(0, keptBytes))
        expect(session).toMatchObject({ status: 'failed', segment_count: 0 })
        expect(session.issues).toMatchObject([{ code: 'file_truncated', severity: 'error' }])
      }
    },
    'a session stays in processing for the whole --processing-delay, even across a restart': async ({
      launchWith,
      createFolder,
    }) => {
      const data = await createFolder()
      const flags = ['--data', data, '--min-part-size', '1000', '--processing-delay', '60000']
      const first = await launchWith({}, ...flags)
      const id = await first.service.upload(patterned(10))
      expect((await first.service.retrieve(id)).status).toBe('processing')
      await first.sandbox.kill()
      const { service } = await launchWith({}, '--data', data, '--control')
      expect((await service.retrieve(id)).status).toBe('processing')
      await service.operate('POST', '/clock', { offset_s: 61 })
      expect((await service.waitUntilProcessed(id)).status).toBe('processed')
    },
  }),
  ...section('§2.2', {
    'MCAP: the service names the channels, and finds recorded_at and duration_s': async ({ service }) => {
      for (const layout of ['indexed', 'bare', 'chunks', 'partial'] as const) {
        expect(await uploadAndProcess(service, 'run.mcap', await mcapFile({ layout })), layout).toMatchObject(
          tenSeconds,
        )
      }
    },
    'MCAP: the service unpacks compressed chunks (zstd, lz4) if no summary lists their content': async ({
      service,
    }) => {
      for (const compress of [zstd, lz4]) {
        for (const layout of ['indexed', 'chunks', 'partial'] as const) {
          const file = await mcapFile({ layout, compress })
          const session = await uploadAndProcess(service, 'packed.mcap', file)
          expect(session, `${compress.name}, ${layout}`).toMatchObject(tenSeconds)
        }
      }
    },
    'MCAP: chunks in an unknown compression are an issue of severity warning, not a failure': async ({
      service,
    }) => {
      const compress = (chunk: Uint8Array) => ({ compression: 'brotli', compressedData: chunk })
      const session = await uploadAndProcess(
        service,
        'odd.mcap',
        await mcapFile({ layout: 'chunks', compress }),
      )
      expect(session).toMatchObject({ status: 'processed', channels: [], duration_s: 10 })
      expect(session.issues).toMatchObject([{ code: 'compression_unknown', severity: 'warning' }])
      expect(session.issues![0]!.detail).toContain('"brotli"')
    },
    'MCAP: a damaged compressed chunk fails the session, and the service still reads the next file': async ({
      service,
    }) => {
      for (const compress of [zstd, lz4]) {
        const compressBadly = (chunk: Uint8Array) => {
          const { compression, compressedData } = compress(chunk)
          return { compression, compressedData: compressedData.subarray(0, compressedData.length / 2) }
        }
        const failedSession = await uploadAndProcess(
          service,
          'bad.mcap',
          await mcapFile({ layout: 'chunks', compress: compressBadly }),
        )
        expect(failedSession).toMatchObject({
          status: 'failed',
          issues: [{ code: 'file_unreadable', severity: 'error' }],
        })
        const processedSession = await uploadAndProcess(
          service,
          'good.mcap',
          await mcapFile({ layout: 'chunks', compress }),
        )
        expect(processedSession).toMatchObject(tenSeconds)
      }
    },
    'MCAP: a chunk that does not unpack to the size that it declares fails the session': async ({
      service,
    }) => {
      const storeUncompressed = (chunk: Uint8Array) => ({ compression: '', compressedData: chunk })
      for (const compress of [storeUncompressed, zstd, lz4]) {
        for (const endIndex of [0, 4, 20, -1]) {
          const truncateChunk = (chunk: Uint8Array) => {
            const { compression, compressedData } = compress(chunk)
            return { compression, compressedData: compressedData.subarray(0, endIndex) }
          }
          const file = await mcapFile({ layout: 'chunks', compress: truncateChunk })
          const session = await uploadAndProcess(service, 'cut.mcap', file)
          expect(session, `${compress.name}, ${endIndex}`).toMatchObject({
            status: 'failed',
            issues: [{ code: 'file_unreadable', severity: 'error' }],
          })
        }
        const doubleChunk = (chunk: Uint8Array) => compress(Buffer.concat([chunk, chunk]))
        const file = await mcapFile({ layout: 'chunks', compress: doubleChunk })
        expect((await uploadAndProcess(service, 'longer.mcap', file)).status, compress.name).toBe('failed')
      }
    },
    'WAV: one channel per track, duration from the header': async ({ service }) => {
      const session = await uploadAndProcess(service, 'mic.WAV', wavFile(2, 3))
      expect(session).toMatchObject({ status: 'processed', channels: ['audio.0', 'audio.1'], duration_s: 3 })
      const cutSession = await uploadAndProcess(service, 'mic.wav', wavFile(2, 3).subarray(0, 50_000))
      expect(cutSession).toMatchObject({ status: 'failed', issues: [{ code: 'file_truncated' }] })
    },
    'CSV: one channel per column except the time column, times from the first and last row': async ({
      service,
    }) => {
      const rows = Array.from({ length: 5_000 }, (_, n) => `${1_700_000_000 + n / 10},${n},${n * 2}`)
      const session = await uploadAndProcess(
        service,
        'log.csv',
        Buffer.from(`time,Speed (m/s),Torque\r\n${rows.join('\r\n')}\r\n`),
      )
      expect(session).toMatchObject({
        status: 'processed',
        channels: ['speed.m.s', 'torque'],
        recorded_at: '2023-11-14T22:13:20.000Z',
        duration_s: 499.9,
      })
    },
    'unknown content: the service takes the format from the file name; if the name shows no format, the session has an issue of severity info':
      async ({ service }) => {
        expect(await uploadAndProcess(service, 'front.mp4', patterned(10))).toMatchObject({
          status: 'processed',
          channels: ['video'],
        })
        expect(await uploadAndProcess(service, 'mystery', patterned(10))).toMatchObject({
          status: 'processed',
          issues: [{ code: 'format_unknown', severity: 'info' }],
        })
      },
    'a recording that was made with a wrong clock has the issue clock_offset_estimated': async ({
      service,
    }) => {
      const startMs = Date.now() + 3_600_000
      const session = await uploadAndProcess(service, 'ahead.mcap', await mcapFile({ startMs }))
      expect(session.status).toBe('processed')
      expect(session.issues).toMatchObject([{ code: 'clock_offset_estimated', severity: 'warning' }])
      const sinceBoot = await uploadAndProcess(service, 'boot.mcap', await mcapFile({ startMs: 5_000 }))
      expect(sinceBoot.issues).toMatchObject([{ code: 'clock_offset_estimated', severity: 'info' }])
      expect(sinceBoot).not.toHaveProperty('recorded_at')
    },
    'a .mcap or .wav file of meaningless bytes, or one that declares lengths beyond its end, fails the session':
      async ({ service }) => {
        const oversized = await mcapFile()
        oversized.writeBigUInt64LE(2n ** 62n, 9)
        expect((await uploadAndProcess(service, 'lying.mcap', oversized)).status).toBe('failed')
        const wav = wavFile(1, 1)
        wav.writeUInt32LE(0xfffffff0, 16)
        expect((await uploadAndProcess(service, 'lying.wav', wav)).status).toBe('failed')
        expect((await uploadAndProcess(service, 'noise.mcap', patterned(50_000))).status).toBe('failed')
        expect((await uploadAndProcess(service, 'noise.wav', patterned(50_000))).status).toBe('failed')
      },
  }),
]
