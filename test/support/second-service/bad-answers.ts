import type { Effect } from './fault-rules.ts'

/** Answers with 200 that contain no session. */
export const unreadableAnswers = {
  'broken JSON': {
    kind: 'answer',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"id": "ses_',
  },
  'a web page': { kind: 'answer', status: 200, body: '<html><body>Welcome</body></html>' },
  'a different shape': {
    kind: 'answer',
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"object":"greeting","text":"hello"}',
  },
} as const satisfies Record<string, Effect>

/** A guest network's answer to every request until a user signs in. */
export const signInPages = {
  'a page with 200': {
    kind: 'answer',
    status: 200,
    body: '<html><body><form>Sign in to the network</form></body></html>',
  },
  'a redirect to its portal': {
    kind: 'answer',
    status: 302,
    headers: { location: 'http://127.0.0.1:9/portal' },
    body: '<html><body>Moved</body></html>',
  },
} as const satisfies Record<string, Effect>
