import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Postgres, postgresql, startPostgres } from '../../support/back-ends/postgres.ts'
import { type Swift, startSwift, swift } from '../../support/back-ends/swift.ts'
import { launchServer, runServerCommand, type ServerProcess } from '../../support/server-process.ts'

export type Lab = {
  readonly server: ServerProcess
  readonly headers: { readonly authorization: string; readonly 'content-type': string }
  readonly postgres: Postgres
  /** Null if the server stores its parts in a folder. */
  readonly storage: Swift | null
}

/** What `withLab` needs and this PC lacks, such as "PostgreSQL". Null if nothing is missing. */
export const missingForLab = (kind: 'folder' | 's3'): string | null =>
  postgresql() ?? (kind === 's3' ? swift() : null)

/** Runs one instance of the lab's server (`sluice server`) on PostgreSQL, with its parts in a folder or in S3. */
export const withLab = async <T>(kind: 'folder' | 's3', work: (lab: Lab) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-bench-lab-'))
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })]
  try {
    const postgres = await startPostgres({ fsync: true })
    ends.unshift(() => postgres.stop())
    const storage = kind === 's3' ? await startSwift() : null
    if (storage !== null) ends.unshift(() => storage.stop())
    const { bytes, env } = storage === null ? inFolder(folder) : inBucket(storage)
    const flags = ['--database', postgres.url, '--bytes', bytes]
    const run = async (...words: string[]) =>
      JSON.parse((await runServerCommand([...words, ...flags], env)).out)
    const { id } = await run('org', 'create', 'Bench')
    const { key } = await run('key', 'create', '--org', id, '--write')
    const server = await launchServer(
      [...flags, '--rate-limit', '1000000000', '--min-part-size', '1000'],
      env,
    )
    ends.unshift(() => server.kill())
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    return await work({ server, headers, postgres, storage })
  } finally {
    for (const end of ends) await end()
  }
}

const inFolder = (folder: string) => ({ bytes: pathToFileURL(folder).href, env: {} })

const inBucket = ({ s3: { bucket, region, endpoint, credentials } }: Swift) => ({
  bytes: `s3://${bucket}/lab?endpoint=${endpoint}&region=${region}`,
  env: {
    AWS_ACCESS_KEY_ID: credentials!.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  },
})

export type NewUpload = { readonly id: string; readonly urls: readonly string[] }

export const createUpload = async (
  { server, headers }: Pick<Lab, 'server' | 'headers'>,
  upload: { readonly bytes: number; readonly partSize: number; readonly sha256: string },
): Promise<NewUpload> => {
  const { bytes, partSize, sha256 } = upload
  const body = { site: 'bench', filename: 'bench.bin', bytes, sha256, part_size: partSize }
  const session = await post({ server, headers }, '/v1/sessions', body)
  return { id: session.id, urls: session.upload.parts.map(({ url }) => url) }
}

export const completeUpload = (
  lab: Pick<Lab, 'server' | 'headers'>,
  id: string,
  etags: readonly string[],
): Promise<unknown> =>
  post(lab, `/v1/sessions/${id}/complete`, {
    parts: etags.map((etag, index) => ({ number: index + 1, etag })),
  })

const post = async ({ server, headers }: Pick<Lab, 'server' | 'headers'>, url: string, body: unknown) => {
  const answer = await fetch(`${server.baseUrl}${url}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`The server answered ${url} with ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as { id: string; upload: { parts: { url: string }[] } }
}
