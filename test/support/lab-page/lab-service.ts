import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createClock, type SandboxClock } from '../../../sandbox/clock.ts'
import { createKey, createOrg } from '../../../server/cli/organisations.ts'
import { openDataFolder } from '../../../server/data-folder.ts'
import { noHooks } from '../../../server/hooks.ts'
import { createIdMaker, systemRandom } from '../../../server/ids.ts'
import { refuseForeignPage } from '../../../server/local-caller.ts'
import { openLabPage } from '../../../server/page/lab-page.ts'
import { startService } from '../../../server/service.ts'
import type { ByteStore } from '../../../server/storage/byte-store.ts'
import { PartFiles } from '../../../server/storage/part-files.ts'
import { parts } from '../../../server/store/parts.ts'
import { createSqliteStore } from '../../../server/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../server/store/store.ts'
import type { Session, UploadPart } from '../../../shared/contract/control-api.ts'
import { type RawAnswer, type RawRequest, send } from '../../contract/raw-http.ts'
import { newSession, sha256 } from '../../contract/service.ts'

/** The folder of the page, as `npm run build` writes it. */
export const labPageFolder = path.join(import.meta.dirname, '../../../out/main/lab-page')

/**
 * Sends a part and returns its ETag. Sends it again after a 5xx, as a station does: a busy storage, such as OpenStack
 * Swift, may time out.
 */
const putPart = async (request: RawRequest): Promise<string> => {
  for (let attempt = 1; ; attempt += 1) {
    const { status, headers, text } = await send(request)
    if (status === 200 && headers.etag !== undefined) return headers.etag
    if (status < 500 || attempt === 10) throw new Error(`PUT of a part: ${status} ${text}`)
  }
}

export type LabBackEnd = { readonly store: Store; readonly bytes: ByteStore; close(): Promise<void> }

/** SQLite and files in a temporary folder. */
export const openEmbedded = async (): Promise<LabBackEnd> => {
  const root = await mkdtemp(path.join(tmpdir(), 'lab-page-'))
  const folder = await openDataFolder(path.join(root, 'data'), 'server')
  const store = createSqliteStore(folder.db)
  const bytes = await PartFiles.open(
    folder.path,
    systemRandom,
    await store.write(() => parts.usage(Date.now())),
  )
  return {
    store,
    bytes,
    async close() {
      await store.close()
      await folder.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}

export type UploadFields = {
  readonly part_size?: number
  readonly site?: string
  readonly device?: string
  readonly filename?: string
  readonly notes?: string
}

/** A server with a page and two organisations, in this process, on any back end. A test can move the server's clock. */
export class LabService {
  readonly baseUrl: string
  readonly clock: SandboxClock
  readonly store: Store
  readonly orgId: string
  /** `read`, `spare` and `write` belong to `orgId`. `other` is a read key of a second organisation. */
  readonly keys: {
    readonly read: string
    readonly spare: string
    readonly write: string
    readonly other: string
  }
  readonly keyIds: { readonly read: string; readonly spare: string }
  readonly log: readonly string[]
  readonly #close: () => Promise<void>

  private constructor(
    fields: Omit<LabService, 'call' | 'create' | 'upload' | 'close'>,
    close: () => Promise<void>,
  ) {
    this.baseUrl = fields.baseUrl
    this.clock = fields.clock
    this.store = fields.store
    this.orgId = fields.orgId
    this.keys = fields.keys
    this.keyIds = fields.keyIds
    this.log = fields.log
    this.#close = close
  }

  static async start(backEnd: LabBackEnd, organisation = 'Robotics lab'): Promise<LabService> {
    const { store, bytes } = backEnd
    const clock = createClock(Date.now)
    const log: string[] = []
    const context = {
      store,
      makeId: createIdMaker(systemRandom),
      random: systemRandom,
      now: () => clock.now(),
      actor: 'operator:test',
    }
    const orgId = await createOrg(context, organisation)
    const otherOrgId = await createOrg(context, 'Other lab')
    const read = await createKey(context, { orgId, name: 'office', canWrite: false })
    const spare = await createKey(context, { orgId, name: 'spare', canWrite: false })
    const write = await createKey(context, { orgId, name: 'hall 1', canWrite: true })
    const other = await createKey(context, { orgId: otherOrgId, name: 'other', canWrite: false })
    const service = await startService({
      store,
      bytes,
      clock,
      random: systemRandom,
      hooks: noHooks,
      log: (line, logFields) => void log.push(`${line} ${JSON.stringify(logFields ?? {})}`),
      webhookTargets: 'nowhere',
      refuseCaller: refuseForeignPage,
      answerProbe: () => false,
      page: await openLabPage(labPageFolder),
      checksumHeader: 'x-amz-checksum-sha256',
      cleanUp: { abandonedAfterMs: null, auditRetentionMs: null, leftoversAfterMs: null },
      address: { port: 0, uploadPort: 0 },
      limits: {
        minPartBytes: 1_000,
        urlLifetimeS: 3_600,
        processingDelayMs: 0,
        requestsPerMinute: 1_000_000,
        clientTimeoutMs: 30_000,
        minPrefixHashBytes: Number.POSITIVE_INFINITY,
        md5Etags: false,
      },
    })
    const fields = {
      baseUrl: service.baseUrl,
      clock,
      store,
      orgId,
      keys: { read: read.key, spare: spare.key, write: write.key, other: other.key },
      keyIds: { read: read.id, spare: spare.id },
      log,
    }
    return new LabService(fields, async () => {
      await service.close()
      await backEnd.close()
    })
  }

  close(): Promise<void> {
    return this.#close()
  }

  call(
    method: string,
    target: string,
    key: string | null = this.keys.read,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawAnswer> {
    const authorization = key === null ? {} : { authorization: `Bearer ${key}` }
    return send({ method, url: `${this.baseUrl}${target}`, headers: { ...authorization, ...headers } })
  }

  /** Creates a session and uploads no part. */
  async create(
    bytes: Buffer,
    fields: UploadFields = {},
  ): Promise<{ id: string; parts: readonly UploadPart[] }> {
    const answer = await this.#post('/v1/sessions', {
      ...newSession(bytes, { partSizeBytes: 1_000 }),
      ...fields,
    })
    const { id, upload } = answer.json() as { id: string; upload: { parts: UploadPart[] } }
    return { id, parts: upload.parts }
  }

  /** Uploads a recording, by default in parts of 1,000 bytes. Waits until its processing succeeds or fails. */
  async upload(bytes: Buffer, fields: UploadFields = {}): Promise<string> {
    const { id, parts: urls } = await this.create(bytes, fields)
    const { part_size: partBytes = 1_000 } = fields
    const etags: { number: number; etag: string }[] = []
    for (const { number, url } of urls) {
      const body = bytes.subarray((number - 1) * partBytes, number * partBytes)
      const headers = { 'x-amz-checksum-sha256': sha256(body, 'base64') }
      etags.push({ number, etag: await putPart({ method: 'PUT', url, headers, body }) })
    }
    await this.#post(`/v1/sessions/${id}/complete`, { parts: etags })
    for (;;) {
      const session = (await this.call('GET', `/v1/sessions/${id}`)).json() as unknown as Session
      if (session.status === 'processed' || session.status === 'failed') return id
    }
  }

  async #post(target: string, body: unknown): Promise<RawAnswer> {
    const headers = { authorization: `Bearer ${this.keys.write}`, 'content-type': 'application/json' }
    const answer = await send({
      method: 'POST',
      url: `${this.baseUrl}${target}`,
      headers,
      body: JSON.stringify(body),
    })
    if (answer.status !== 200) throw new Error(`POST ${target}: ${answer.status} ${answer.text}`)
    return answer
  }
}
