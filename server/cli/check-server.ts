import { randomUUID } from 'node:crypto'
import { hasServerData, isServerRunning } from '../data-folder.ts'
import { keys } from '../store/keys.ts'
import { first } from '../store/steps.ts'
import type { Store } from '../store/store.ts'
import { openStorage, openStore, type Storage } from './back-end.ts'
import { findAddressProblem, findListenProblem } from './check-address.ts'
import { checkCertificate } from './check-certificate.ts'
import type { Finding } from './finding.ts'
import type { Settings } from './settings.ts'

/**
 * The largest accepted difference between this computer's clock and the database's clock. Each instance signs and
 * checks URLs by its own clock, so a URL could expire too early at an instance whose clock is wrong.
 */
const maxClockDifferenceMs = 5_000

/**
 * Checks database, clock, bytes, direct parts, address, certificate and keys. A failed check does not stop the
 * others, but without a database, the checks that need it do not run.
 */
export async function checkServer(settings: Settings): Promise<readonly Finding[]> {
  const { backEnd, tls } = settings
  const isRunning = backEnd.kind === 'embedded' && isServerRunning(backEnd.folder)
  const opened = await openStore(backEnd).catch((error: Error) => error)
  const store = opened instanceof Error ? null : opened
  try {
    return [
      ...(isRunning ? [{ subject: 'server', problem: null, note: 'running' }] : []),
      { subject: 'database', problem: opened instanceof Error ? opened.message : null },
      await checkClock(backEnd.kind, store),
      ...(await checkStorage(backEnd)),
      {
        subject: 'address',
        problem: findAddressProblem(settings) ?? (await findListenProblem(settings, isRunning)),
      },
      ...(tls === null ? [] : [checkCertificate(tls, Date.now())]),
      {
        subject: 'keys',
        problem: store === null ? needsDatabase : await errorAsProblem(() => findKeyProblem(store)),
      },
    ]
  } finally {
    await store?.close()
  }
}

const needsDatabase = 'not checked, because the database cannot be used'

async function errorAsProblem(work: () => Promise<string | null>): Promise<string | null> {
  return work().catch((error: unknown) =>
    error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  )
}

async function checkClock(kind: Settings['backEnd']['kind'], store: Store | null): Promise<Finding> {
  const subject = 'clock'
  if (kind === 'embedded')
    return { subject, problem: null, note: 'not compared, because the database is on this computer' }
  if (store === null) return { subject, problem: needsDatabase }
  return { subject, problem: await errorAsProblem(() => findClockProblem(store)) }
}

async function findClockProblem(store: Store): Promise<string | null> {
  const row = await store.read(
    first<{ ms: number }>('SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS ms'),
  )
  const difference = Math.abs(Date.now() - row!.ms)
  return difference <= maxClockDifferenceMs
    ? null
    : `this computer's clock and the database's clock differ by ${difference} ms`
}

async function checkStorage(backEnd: Settings['backEnd']): Promise<Finding[]> {
  // `openStorage` would create the folder, even if its name is mistyped.
  if (backEnd.kind === 'embedded' && !hasServerData(backEnd.folder))
    return [{ subject: 'bytes', problem: needsDatabase }]
  const opened = await openStorage(backEnd).catch((error: Error) => error)
  if (opened instanceof Error) return [{ subject: 'bytes', problem: opened.message }]
  try {
    const bytes = { subject: 'bytes', problem: await errorAsProblem(() => findBytesProblem(opened)) }
    return [bytes, ...(await checkDirectParts(opened))]
  } finally {
    opened.close()
  }
}

/** Writes, reads and deletes a few bytes. */
async function findBytesProblem({ bytes }: Storage): Promise<string | null> {
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

async function checkDirectParts({ directParts }: Storage): Promise<Finding[]> {
  if (directParts === null) return []
  const problem = await errorAsProblem(async () => {
    await directParts.verify()
    return null
  })
  return [{ subject: 'direct parts', problem }]
}

async function findKeyProblem(store: Store): Promise<string | null> {
  const usableKeys = (await store.read(keys.list())).filter((key) => key.revoked === 0)
  return usableKeys.some((key) => key.can_write === 1)
    ? null
    : 'no key can upload; create one with "key create --write"'
}
