/** What a heartbeat tells its service: all is well, something needs attention, or text for that service's log. */
export type HeartbeatKind = 'ok' | 'fail' | 'log'

const pathSuffixes: Readonly<Record<HeartbeatKind, string>> = { ok: '', fail: '/fail', log: '/log' }

/** The URL format of healthchecks.io: a suffix for the kind follows the path. */
const heartbeatUrlOf = (url: string, kind: HeartbeatKind): string => {
  const target = new URL(url)
  if (kind !== 'ok') target.pathname = `${target.pathname.replace(/\/+$/, '')}${pathSuffixes[kind]}`
  return target.href
}

/** "All is well" is a plain GET. The other two kinds are a POST with the text. */
export const heartbeatMessage = (url: string, kind: HeartbeatKind, text: string) => ({
  url: heartbeatUrlOf(url, kind),
  ...(kind === 'ok'
    ? { method: 'GET' as const }
    : { method: 'POST' as const, body: { type: 'text/plain; charset=utf-8', text } }),
})
