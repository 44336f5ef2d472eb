import { all, change, type Steps, send } from './steps.ts'

export type AuditAction =
  | 'session.create'
  | 'session.complete'
  | 'session.delete'
  | 'session.abandon'
  | 'session.download'
  | 'webhook_endpoint.create'
  | 'webhook_endpoint.delete'
  | 'org.create'
  | 'org.limit'
  | 'key.create'
  | 'key.revoke'

export type AuditEntry = {
  readonly at: number
  readonly org_id: string | null
  /**
   * For a request, the ID of its key. For a server command, `operator:` with the user's name. For a clean-up,
   * `clean-up`.
   */
  readonly actor: string
  readonly action: AuditAction
  /** The ID of the session, webhook endpoint, organisation or key. */
  readonly object: string
  readonly request_id: string | null
  /** The new values of `org.limit`, as JSON. */
  readonly details?: string | null
}

export type AuditRow = Required<AuditEntry> & { readonly seq: number }

/** Add each entry in the transaction of its change. */
export const audit = {
  *add(entry: AuditEntry): Steps<void> {
    yield* send(
      `INSERT INTO audit (at, org_id, actor, action, object, request_id, details)
       VALUES (@at, @org_id, @actor, @action, @object, @request_id, @details)`,
      { details: null, ...entry },
    )
  },
  /** Oldest first. */
  page(filter: {
    readonly orgId?: string
    readonly afterSeq: number
    readonly limit: number
  }): Steps<AuditRow[]> {
    const ofOrg = filter.orgId === undefined ? '' : ' AND org_id = @orgId'
    return all(`SELECT * FROM audit WHERE seq > @afterSeq${ofOrg} ORDER BY seq LIMIT @limit`, { ...filter })
  },
  expire: (before: number): Steps<number> => change('DELETE FROM audit WHERE at < @before', { before }),
}
