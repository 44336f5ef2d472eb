import { expect, test } from 'vitest'
import { presignS3 } from '../../../../server/storage/presign-s3.ts'

/** The example of AWS in "Authenticating Requests: Using Query Parameters". */
const example = {
  method: 'GET',
  url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
  region: 'us-east-1',
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  headers: {},
  signedAtMs: Date.UTC(2013, 4, 24),
  lifetimeS: 86_400,
} as const

test('signs a URL as the documentation of AWS does', () => {
  const signature = new URL(presignS3(example)).searchParams.get('X-Amz-Signature')
  expect(signature).toBe('aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404')
})

test('the signature depends on the method, the object, the size, the time and the lifetime', () => {
  const variants = [
    { ...example, method: 'PUT' as const },
    { ...example, url: new URL('https://examplebucket.s3.amazonaws.com/test2.txt') },
    { ...example, headers: { 'content-length': '1' } },
    { ...example, headers: { 'content-length': '2' } },
    { ...example, signedAtMs: example.signedAtMs + 1_000 },
    { ...example, lifetimeS: 60 },
  ]
  const signatures = [example, ...variants].map((input) =>
    new URL(presignS3(input)).searchParams.get('X-Amz-Signature'),
  )
  expect(new Set(signatures).size).toBe(7)
})
