import { expect, test } from 'vitest'
import {
  type SupportSubject,
  supportText,
} from '../../../../../renderer/features/diagnostics/support-text.ts'
import type { Problem } from '../../../../../shared/status/problem.ts'
import type { RecordingDetail } from '../../../../../shared/status/status.ts'

const problem: Problem = {
  code: 'processing-failed',
  owner: 'service',
  sentence: 'The recording is stored, but processing failed. (The index cannot be read.)',
  next: 'Contact the service’s support.',
  endsBy: 'person',
  nextAt: null,
  requestId: 'req_1',
  param: null,
}

const recording: SupportSubject['recordings'][number] = {
  name: 'hall3.mcap',
  state: 'failed',
  standing: 'needs-attention',
  paused: false,
  bytes: 1234,
  sessionId: 'ses_1',
  problem,
  foundAt: '2026-03-12T05:00:00.000Z',
  heldSince: null,
  changedAt: '2026-03-12T06:00:00.000Z',
  timeline: [
    {
      at: '2026-03-12T05:10:00.000Z',
      from: 'ready',
      to: 'uploading',
      reason: 'session created',
      requestId: 'req_0',
    },
    {
      at: '2026-03-12T05:20:00.000Z',
      from: 'uploading',
      to: 'completing',
      reason: 'all parts sent',
      requestId: null,
    },
  ],
}

const subject: SupportSubject = {
  station: 'capture-pc-07',
  version: '0.1.0',
  platform: 'Linux 6.1 (x64)',
  at: '2026-03-12T07:42:00.000Z',
  problem,
  folder: null,
  count: 1,
  recordings: [recording],
}

test('the text for support names the station, the problem, the file and the request IDs', () => {
  expect(supportText(subject)).toBe(`Sluice, for support: 2026-03-12T07:42:00.000Z
Station: capture-pc-07
Version: 0.1.0, Linux 6.1 (x64)

Problem: processing-failed
Message: The recording is stored, but processing failed. (The index cannot be read.)
Owner: For support
Next: Contact the service’s support.
Request ID: req_1

File: hall3.mcap
Status: Needs attention (failed)
Bytes: 1234
Session ID: ses_1
Found: 2026-03-12T05:00:00.000Z
Changed: 2026-03-12T06:00:00.000Z
Request: req_0 at 2026-03-12T05:10:00.000Z: ready to uploading, session created
`)
})

test('the text for support contains no secret from the problem or from the timeline', () => {
  const secret = 'svc_live_0123456789abcdef0123456789abcdef'
  const signedUrl = 'https://bucket.example.com/part?X-Amz-Signature=deadbeefdeadbeef'
  const withSecrets = { ...problem, sentence: `refused (Authorization: Bearer ${secret}) at ${signedUrl}` }
  const entry = { ...recording.timeline[0]!, reason: `PUT ${signedUrl} said api_key=${secret}` }
  const text = supportText({
    ...subject,
    problem: withSecrets,
    recordings: [
      { ...recording, problem: withSecrets, timeline: [entry] } satisfies Partial<RecordingDetail>,
    ],
  })
  expect(text).not.toContain(secret)
  expect(text).not.toContain('deadbeef')
  expect(text).toContain('req_0')
})

test('a file name cannot start a new line in the text for support', () => {
  const text = supportText({
    ...subject,
    recordings: [{ ...recording, name: 'a\nSession ID: ses_2\u202e.mcap' }],
  })
  expect(text).toContain('File: a\\u000aSession ID: ses_2\\u202e.mcap\n')
  expect(text.match(/^Session ID: /gm)).toHaveLength(1)
})

test('for two recordings with the same problem, the text names the problem once and both request IDs', () => {
  const other = { ...problem, requestId: 'req_2' }
  const text = supportText({ ...subject, recordings: [recording, { ...recording, problem: other }] })
  expect(text.match(/^Request ID: req_2$/gm)).toHaveLength(1)
  expect(text.match(/^Problem: /gm)).toHaveLength(1)
})
