import { type Finding, pass, skip, warn } from '../../../shared/ipc/station-check.ts'
import type { UploadHost } from '../../../shared/ipc/support.ts'
import { momentInSentence, plural } from '../../../shared/words/format.ts'

const DAY_MS = 86_400_000
/** Long enough for a user who checks once a month. */
const NEW_HOST_MS = 30 * DAY_MS
const MAX_NAMED_HOSTS = 6

/**
 * True if the host first appeared within the last 30 days, and more than a day after the first host. Such a host is
 * new, or does not belong to the storage.
 */
const isNew = (host: UploadHost, first: UploadHost, nowMs: number): boolean => {
  const since = Date.parse(host.firstSeenAt)
  return since - Date.parse(first.firstSeenAt) > DAY_MS && nowMs - since < NEW_HOST_MS
}

export const judgeUploadHosts = (hosts: readonly UploadHost[], nowMs: number): Omit<Finding, 'subject'> => {
  const [first] = hosts
  if (first === undefined) return skip('Nothing has been uploaded yet.')
  // The user should check the newest host first.
  const shownHosts = hosts.toReversed().slice(0, MAX_NAMED_HOSTS)
  const words = shownHosts.map((host) =>
    isNew(host, first, nowMs)
      ? `${host.host} (new since ${momentInSentence(host.firstSeenAt, nowMs)})`
      : host.host,
  )
  const omittedCount = hosts.length - shownHosts.length
  const items = [...words, ...(omittedCount > 0 ? [plural(omittedCount, 'earlier host')] : [])]
  const list = items.length === 1 ? items[0] : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
  return shownHosts.some((host) => isNew(host, first, nowMs))
    ? warn(`Uploads go to ${list}.`, 'Ask support whether the new host is theirs.')
    : pass(`Uploads go to ${list}.`)
}
