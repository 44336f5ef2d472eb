import { setTimeout as sleep } from 'node:timers/promises'
import type { SecondServiceStation } from './second-service-station.ts'

const POLL_INTERVAL_MS = 400

/** The messages that the station shows during `durationMs`, one entry per change. Null means no problem. */
export const collectMessages = async (
  station: SecondServiceStation,
  durationMs: number,
): Promise<(string | null)[]> => {
  const messages: (string | null)[] = []
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    const { problem } = (await station.status()).station
    const message = problem === null ? null : `${problem.code}: ${problem.sentence}`
    if (messages.length === 0 || messages.at(-1) !== message) messages.push(message)
    await sleep(POLL_INTERVAL_MS)
  }
  return messages
}

/** True if one message stays and no other appears. A moment without a problem may come first. */
export const isOneLastingMessage = (messages: readonly (string | null)[]): boolean => {
  const shownMessages = messages[0] === null ? messages.slice(1) : messages
  return shownMessages.length === 1 && shownMessages[0] !== null
}
