import type { EventType } from '../../shared/contract/control-api.ts'
import { all, first, type Steps, send } from './steps.ts'

export type EndpointRow = {
  readonly id: string
  readonly org_id: string
  readonly url: string
  /** A JSON array of event names. */
  readonly events: string
  readonly secret: string
  readonly created_at: number
}

export type DeliveryRow = {
  readonly id: number
  readonly endpoint_id: string
  readonly event_id: string
  readonly body: string
  readonly created_at: number
  readonly next_attempt_at: number
  readonly attempts: number
  readonly url: string
  readonly secret: string
}

export type NewDelivery = {
  readonly endpointId: string
  readonly sessionId: string
  readonly eventId: string
  readonly body: string
  readonly now: number
}

const deliveryRows = `SELECT d.id, d.endpoint_id, d.event_id, d.body, d.created_at, d.next_attempt_at, d.attempts, e.url, e.secret
   FROM deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id`

export const webhooks = {
  *addEndpoint(row: EndpointRow): Steps<void> {
    yield* send(
      `INSERT INTO webhook_endpoints (id, org_id, url, events, secret, created_at)
       VALUES (@id, @org_id, @url, @events, @secret, @created_at)`,
      row,
    )
  },
  *countEndpoints(orgId: string): Steps<number> {
    const row = yield* first<{ readonly n: number | string }>(
      'SELECT COUNT(*) AS n FROM webhook_endpoints WHERE org_id = @orgId',
      { orgId },
    )
    return Number(row?.n ?? 0)
  },
  listEndpoints: (orgId?: string): Steps<EndpointRow[]> =>
    all(
      `SELECT * FROM webhook_endpoints${orgId === undefined ? '' : ' WHERE org_id = @orgId'} ORDER BY created_at, id`,
      orgId === undefined ? {} : { orgId },
    ),
  /**
   * Also deletes the deliveries of the endpoint. Returns the organisation of the endpoint, or null if the endpoint does
   * not exist.
   */
  *deleteEndpoint(id: string): Steps<string | null> {
    const row = yield* first<{ readonly org_id: string }>(
      'DELETE FROM webhook_endpoints WHERE id = @id RETURNING org_id',
      { id },
    )
    return row?.org_id ?? null
  },
  /** §6.1: only endpoints that subscribed to this event. */
  *endpointsFor(orgId: string, event: EventType): Steps<EndpointRow[]> {
    const rows = yield* all<EndpointRow>('SELECT * FROM webhook_endpoints WHERE org_id = @orgId', { orgId })
    return rows.filter((row) => (JSON.parse(row.events) as string[]).includes(event))
  },
  *addDelivery(entry: NewDelivery): Steps<void> {
    yield* send(
      `INSERT INTO deliveries (endpoint_id, session_id, event_id, body, created_at, next_attempt_at)
       VALUES (@endpointId, @sessionId, @eventId, @body, @now, @now)`,
      entry,
    )
  },
  /**
   * The endpoints take turns, so that an endpoint with many slow deliveries does not delay the others. The query reads
   * only the first deliveries of each endpoint. An endpoint that never answers may have very many deliveries, and with
   * SQLite, reading them all would block other requests.
   */
  *due(now: number, limit: number): Steps<DeliveryRow[]> {
    const endpoints = yield* all<{ readonly id: string }>(
      `SELECT id FROM (
         SELECT e.id, (SELECT d.next_attempt_at FROM deliveries d
                       WHERE d.endpoint_id = e.id AND d.next_attempt_at <= @now
                       ORDER BY d.next_attempt_at LIMIT 1) AS due_at
         FROM webhook_endpoints e
       ) AS firsts WHERE due_at IS NOT NULL ORDER BY due_at, id LIMIT @limit`,
      { now, limit },
    )
    const maxTurns = endpoints.length === limit ? 1 : limit
    const queue: { readonly turn: number; readonly delivery: DeliveryRow }[] = []
    for (const { id } of endpoints) {
      const deliveries = yield* all<DeliveryRow>(
        `${deliveryRows} WHERE d.endpoint_id = @id AND d.next_attempt_at <= @now
         ORDER BY d.next_attempt_at, d.id LIMIT @maxTurns`,
        { id, now, maxTurns },
      )
      queue.push(...deliveries.map((delivery, turn) => ({ turn, delivery })))
    }
    const compare = (a: (typeof queue)[number], b: (typeof queue)[number]) =>
      a.turn - b.turn ||
      a.delivery.next_attempt_at - b.delivery.next_attempt_at ||
      a.delivery.id - b.delivery.id
    return queue
      .sort(compare)
      .slice(0, limit)
      .map(({ delivery }) => delivery)
  },
  /** Undefined if a different instance delivered or postponed the delivery, or if the delivery was deleted. */
  stillDue: (id: number, now: number): Steps<DeliveryRow | undefined> =>
    first(`${deliveryRows} WHERE d.id = @id AND d.next_attempt_at <= @now`, { id, now }),
  *nextDueAfter(now: number): Steps<number | null> {
    const row = yield* first<{ at: number | null }>(
      'SELECT min(next_attempt_at) AS at FROM deliveries WHERE next_attempt_at > @now',
      { now },
    )
    return row?.at ?? null
  },
  /** Pending deliveries, for operators. */
  *queue(): Steps<{ pending: number; nextAt: number | null }> {
    const row = yield* first<{ pending: number; next_at: number | null }>(
      'SELECT count(*) AS pending, min(next_attempt_at) AS next_at FROM deliveries',
    )
    return { pending: row!.pending, nextAt: row!.next_at }
  },
  *postpone(id: number, nextAttemptAt: number): Steps<void> {
    yield* send(
      'UPDATE deliveries SET attempts = attempts + 1, next_attempt_at = @nextAttemptAt WHERE id = @id',
      { id, nextAttemptAt },
    )
  },
  /** Delays the delivery without counting an attempt. */
  *delay(id: number, until: number): Steps<void> {
    yield* send('UPDATE deliveries SET next_attempt_at = @until WHERE id = @id', { id, until })
  },
  *drop(id: number): Steps<void> {
    yield* send('DELETE FROM deliveries WHERE id = @id', { id })
  },
}
