export type Route = 'create' | 'retrieve' | 'complete' | 'list' | 'delete' | 'part' | 'other'
export type ListenerName = 'control' | 'storage'

/** One request through the proxy, without its key or signature. */
export type RecordedRequest = {
  readonly listener: ListenerName
  readonly route: Route
  readonly session: string | null
  readonly part: number | null
  readonly atMs: number
  /** The status that the client got; null if the client got no answer. */
  status: number | null
  /** The client received the storage's own ETag. */
  acknowledged: boolean
}

const sessionIn = (path: string): string | null => /ses_[A-Za-z0-9_-]+/.exec(path)?.[0] ?? null

const controlRoute = (method: string, path: string): Route => {
  if (path === '/v1/sessions') return method === 'POST' ? 'create' : 'list'
  if (path.endsWith('/complete')) return 'complete'
  if (sessionIn(path) === null) return 'other'
  return method === 'DELETE' ? 'delete' : 'retrieve'
}

export const recordRequest = (listener: ListenerName, method: string, target: string): RecordedRequest => {
  const { pathname } = new URL(target, 'http://service')
  const partNumber = /(\d+)$/.exec(pathname)?.[1]
  return {
    listener,
    route: listener === 'storage' ? 'part' : controlRoute(method, pathname),
    session: sessionIn(pathname),
    part: listener === 'storage' && partNumber !== undefined ? Number(partNumber) : null,
    atMs: performance.now(),
    status: null,
    acknowledged: false,
  }
}
