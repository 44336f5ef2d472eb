import type { Clock, Log } from '../ports/clock.ts'
import type { Delivery, MonitoringWorld, OutgoingMessage } from '../ports/monitoring.ts'

type Dependencies = { readonly monitoring: MonitoringWorld; readonly clock: Clock; readonly log: Log }

const names = { heartbeat: 'the heartbeat', alert: 'an alert' } as const

/**
 * Sends a message once and stores the result for the window. Logs the first success after a failure. Logs a failure
 * only if the previous attempt did not fail for the same reason.
 */
export const deliver = async (
  { monitoring, clock, log }: Dependencies,
  to: keyof typeof names,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<Delivery> => {
  const delivery = await monitoring.send(message, signal)
  const { board } = monitoring
  const previous = board[to]
  const atMs = clock.wallMs()
  if (delivery.ok) {
    board[to] = { lastOkAtMs: atMs, failure: null }
    if (previous.failure !== null) log.info(`${names[to]} was delivered after earlier failures`)
  } else if (!signal.aborted) {
    board[to] = { ...previous, failure: { atMs, sentence: delivery.sentence } }
    if (previous.failure?.sentence !== delivery.sentence)
      log.warn(`${names[to]} could not be delivered`, { why: delivery.sentence })
  }
  return delivery
}
