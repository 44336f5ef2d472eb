import { randomUUID } from 'node:crypto'
import { isLoopback } from '../loopback.ts'
import { keys } from '../store/keys.ts'
import { first } from '../store/steps.ts'
import { type BackEnd, openBackEnd } from './back-end.ts'
import type { Settings } from './settings.ts'

export type Finding = { readonly subject: string; readonly problem: string | null }

/** Signed URLs and events contain times. With a larger clock difference, URLs can expire too early for stations. */
const maxClockDifferenceMs = 5_000

/** Checks database, bytes, clock, address and keys. */
export async function checkServer(settings: Settings): Promise<readonly Finding[]> {
  let backEnd: BackEnd
  try {
    backEnd = await openBackEnd(settings.backEnd)
  } catch (error) {
    return [{ subject: 'database', problem: (error as Error).message }]
  }
  try {
    return [
      { subject: 'database', problem: null },
      {
        subject: 'clock',
        problem:
          settings.backEnd.kind === 'embedded' ? null : await errorAsProblem(() => findClockProblem(backEnd)),
      },
      { subject: 'bytes', problem: await errorAsProblem(() => findBytesProblem(backEnd)) },
      ...(await checkDirectParts(backEnd)),
      { subject: 'address', problem: findAddressProblem(settings) },
      { subject: 'keys', problem: await errorAsProblem(() => findKeyProblem(backEnd)) },
    ]
  } finally {
    await backEnd.close()
  }
}

async function errorAsProblem(work: () => Promise<string | null>): Promise<string | null> {
  return work().catch((error: unknown) =>
    error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  )
}

async function findClockProblem({ store }: BackEnd): Promise<string | null> {
  const row = await store.read(
    first<{ ms: number }>('SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS ms'),
  )
  const difference = Math.abs(Date.now() - row!.ms)
  return difference <= maxClockDifferenceMs
    ? null
    : `this computer's clock and the database's clock differ by ${difference} ms`
}

/** Writes, reads and deletes a few bytes. */
async function findBytesProblem({ bytes }: BackEnd): Promise<string | null> {
  const name = `check-${randomUUID()}`
  const writtenBytes = Buffer.from(name)
  await bytes.put(name, writtenBytes)
  try {
    const reader = await bytes.open(name)
    const readBytes = await reader.read(0, writtenBytes.length)
    await reader.close()
    return readBytes.equals(writtenBytes) ? null : 'the storage returned different bytes'
  } finally {
    await bytes.remove(name)
  }
}

async function checkDirectParts({ directParts }: BackEnd): Promise<Finding[]> {
  if (directParts === null) return []
  const problem = await errorAsProblem(async () => {
    await directParts.verify()
    return null
  })
  return [{ subject: 'direct parts', problem }]
}

function findAddressProblem({ host, uploadUrl, tls }: Settings): string | null {
  if (uploadUrl === null) return null
  if (!isLoopback(host) && isLoopback(new URL(uploadUrl).hostname))
    return 'upload_url works only on this computer'
  if (tls === null && !isLoopback(host) && uploadUrl.startsWith('http:'))
    return 'keys and recordings travel unencrypted: use TLS here or in a proxy'
  return null
}

async function findKeyProblem({ store }: BackEnd): Promise<string | null> {
  const usableKeys = (await store.read(keys.list())).filter((key) => key.revoked === 0)
  return usableKeys.some((key) => key.can_write === 1)
    ? null
    : 'no key can upload; create one with "key create --write"'
}
