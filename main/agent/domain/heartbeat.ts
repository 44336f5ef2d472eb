/** The message to a heartbeat service: all is well, something needs attention, or only a line for its log. */
export type HeartbeatKind = 'ok' | 'fail' | 'log'

const pathSuffixes: Readonly<Record<HeartbeatKind, string>> = { ok: '', fail: '/fail', log: '/log' }

/** The format of healthchecks.io and compatible services: the kind follows the path, before any query. */
const heartbeatUrlOf = (url: string, kind: HeartbeatKind): string => {
  const target = new URL(url)
  if (kind !== 'ok') target.pathname = `${target.pathname.replace(/\/+$/, '')}${pathSuffixes[kind]}`
  return target.href
}

/** "All is well" is a plain GET. The other two have a body with the text. */
export const heartbeatMessage = (url: string, kind: HeartbeatKind, text: string) => ({
  url: heartbeatUrlOf(url, kind),
  ...(kind === 'ok'
    ? { method: 'GET' as const }
    : { method: 'POST' as const, body: { type: 'text/plain; charset=utf-8', text } }),
})
