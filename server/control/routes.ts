import type { Handler } from './call.ts'
import { completeSession } from './complete-session.ts'
import type { ControlRoute } from './control-route.ts'
import { createSession } from './create-session.ts'
import { createWebhookEndpoint } from './create-webhook-endpoint.ts'
import { deleteSession } from './delete-session.ts'
import { listSessions } from './list-sessions.ts'
import { retrieveSession } from './retrieve-session.ts'

export type Route = {
  readonly name: ControlRoute
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: RegExp
  readonly needsWrite: boolean
  readonly handler: Handler
  /** 0 if the route takes no body. */
  readonly maxBodyBytes: number
}

export const idPattern = '([^/]+)'
const maxSmallBodyBytes = 256 * 1024
/** Enough for 10,000 parts with their etags, pretty-printed. */
const maxPartsBodyBytes = 4 * 1024 * 1024

/** §4 */
const routes: readonly Route[] = [
  route('create', 'POST', '/v1/sessions', createSession, maxSmallBodyBytes),
  route('list', 'GET', '/v1/sessions', listSessions),
  route('retrieve', 'GET', `/v1/sessions/${idPattern}`, retrieveSession),
  route('delete', 'DELETE', `/v1/sessions/${idPattern}`, deleteSession),
  route('complete', 'POST', `/v1/sessions/${idPattern}/complete`, completeSession, maxPartsBodyBytes),
  route('create_webhook_endpoint', 'POST', '/v1/webhook_endpoints', createWebhookEndpoint, maxSmallBodyBytes),
]

export function route(
  name: ControlRoute,
  method: Route['method'],
  path: string,
  handler: Handler,
  maxBodyBytes = 0,
): Route {
  return { name, method, path: new RegExp(`^${path}$`), needsWrite: method !== 'GET', handler, maxBodyBytes }
}

/** `extraRoutes`: routes outside the contract. */
export function findRoute(
  method: string,
  path: string,
  extraRoutes: readonly Route[],
): { route: Route; id: string } | null {
  for (const candidate of [...routes, ...extraRoutes]) {
    const match = candidate.method === method ? candidate.path.exec(path) : null
    if (match !== null) return { route: candidate, id: match[1] ?? '' }
  }
  return null
}
