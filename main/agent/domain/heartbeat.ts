/** What a dead-man service is told: all is well, something needs somebody, or only a line for its log. */
export type Beat = 'ok' | 'fail' | 'log'

const ends: Readonly<Record<Beat, string>> = { ok: '', fail: '/fail', log: '/log' }

/** As healthchecks.io and those after it take it: the kind stands behind the path, whatever query follows. */
const heartbeatUrlOf = (url: string, beat: Beat): string => {
  const called = new URL(url)
  if (beat !== 'ok') called.pathname = `${called.pathname.replace(/\/+$/, '')}${ends[beat]}`
  return called.href
}

/** All is well is the plainest request there is; the others say why. */
export const heartbeatMessage = (url: string, beat: Beat, text: string) => ({
  url: heartbeatUrlOf(url, beat),
  ...(beat === 'ok'
    ? { method: 'GET' as const }
    : { method: 'POST' as const, body: { type: 'text/plain; charset=utf-8', text } }),
})
