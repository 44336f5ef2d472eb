import http from 'node:http'
import type { ServiceBehaviour } from './behaviour.ts'
import type { FaultRules } from './fault-rules.ts'
import type { RequestLog } from './request-log.ts'
import type { SessionStore } from './session-store.ts'

export type SessionReport = {
  readonly id: string
  readonly site: string
  readonly filename: string
  readonly bytes: number
  readonly sha256: string
  readonly status: string
  readonly completed: boolean
  readonly deleted: boolean
}

export type AdminParts = {
  readonly store: SessionStore
  readonly log: RequestLog
  readonly faults: FaultRules
  readonly behaviour: ServiceBehaviour
  readonly setStorageOpen: (open: boolean) => Promise<void>
}

/** The tests' own channel: faults, settings and recorded requests. Not part of the contract. */
export const openAdmin = (parts: AdminParts): http.Server =>
  http.createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString())
    response.end(JSON.stringify(await answerTo(parts, `${request.method} ${request.url}`, body)))
  })

const answerTo = async (parts: AdminParts, route: string, body: unknown): Promise<unknown> => {
  switch (route) {
    case 'PUT /faults':
      parts.faults.replace(body as never)
      return null
    case 'PUT /behaviour':
      Object.assign(parts.behaviour, body)
      return null
    case 'PUT /storage':
      await parts.setStorageOpen((body as { open: boolean }).open)
      return null
    case 'GET /log':
      return parts.log.entries
    case 'GET /sessions':
      return Promise.all(
        [...parts.store.all.values()].map(async (session): Promise<SessionReport> => {
          const { id, site, filename, completedAt, deleted } = session
          const status = parts.store.status(session)
          const sha256 = await parts.store.sha256(session)
          const bytes = [...session.parts.values()].reduce((sum, part) => sum + part.bytes, 0)
          return { id, site, filename, bytes, sha256, status, completed: completedAt !== null, deleted }
        }),
      )
    default:
      throw new Error(`there is no ${route}`)
  }
}
