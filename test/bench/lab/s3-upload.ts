import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Swift } from '../../support/back-ends/swift.ts'
import { type Bench, measureMs, runInterleaved } from '../figure.ts'
import { hasRclone } from '../rclone.ts'
import { digestOfPart, PART_BYTES, pieces, sendParts } from '../send-parts.ts'
import { createUpload, missingForLab, withLab } from './lab.ts'

const parts = 8
const what = 'parts through the server into S3, four at a time'

/** Measures uploads through the server. The reference is rclone, which writes files of the same size to the same S3. */
export const benchS3Upload: Bench = async ({ rounds }) => {
  const missing = missingForLab('s3') ?? (hasRclone() ? null : 'rclone')
  if (missing !== null) return [{ what, missing }]
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-s3-'))
  for (let n = 1; n <= parts; n += 1)
    writeFileSync(path.join(folder, `part-${n}`), Buffer.concat([...pieces()]))
  const agent = new Agent({ keepAlive: true })
  try {
    return await withLab('s3', async (lab) => {
      const checksum = digestOfPart()
      const [ours = [], reference = []] = await runInterleaved(rounds, [
        async () => {
          const size = { bytes: parts * PART_BYTES, partSize: PART_BYTES, sha256: '0'.repeat(64) }
          const { id, urls } = await createUpload(lab, size)
          const { megabytesPerSecond } = await sendParts(agent, urls, checksum)
          await fetch(`${lab.server.baseUrl}/v1/sessions/${id}`, { method: 'DELETE', headers: lab.headers })
          return megabytesPerSecond
        },
        async () => {
          const ms = await measureMs(() => rclone(lab.storage!, 'copy', folder))
          await rclone(lab.storage!, 'delete')
          return (parts * PART_BYTES) / 1_000 / ms
        },
      ])
      return [
        {
          what,
          unit: 'MB/s',
          ours,
          reference: { name: 'rclone copy to the same S3, four transfers', values: reference },
          goal: { kind: 'times-the-reference' as const, atLeast: 0.8 },
        },
      ]
    })
  } finally {
    agent.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

const rclone = ({ s3 }: Swift, command: string, ...sources: string[]) => {
  const remote = `:s3:${s3.bucket}/rclone`
  const flags = ['--s3-provider=Other', `--s3-endpoint=${s3.endpoint}`, `--s3-region=${s3.region}`]
  // rclone refuses to start if `AWS_CA_BUNDLE` names a bundle of certificates.
  const { AWS_CA_BUNDLE: _, ...inherited } = process.env
  const env = {
    ...inherited,
    RCLONE_S3_ACCESS_KEY_ID: s3.credentials!.accessKeyId,
    RCLONE_S3_SECRET_ACCESS_KEY: s3.credentials!.secretAccessKey,
  }
  const args = [
    command,
    ...sources,
    remote,
    ...flags,
    '--transfers=4',
    '--ignore-times',
    '--s3-no-check-bucket',
  ]
  return promisify(execFile)('rclone', args, { env })
}
