export type ListenerName = 'control' | 'storage'

/** One logged request, without the API key and without a signed query. */
export type LoggedRequest = {
  readonly on: ListenerName
  readonly at: number
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | null
  readonly requestId: string
  filename: string | null
  /** Null until an answer is sent. */
  status: number | null
  answeredAt: number | null
  /** True if the completion of the session had started before this request arrived. */
  completed: boolean
}

export class RequestLog {
  readonly entries: LoggedRequest[] = []

  begin(
    entry: Pick<LoggedRequest, 'on' | 'method' | 'path' | 'idempotencyKey' | 'requestId'>,
  ): LoggedRequest {
    const logEntry = {
      ...entry,
      at: Date.now(),
      filename: null,
      status: null,
      answeredAt: null,
      completed: false,
    }
    this.entries.push(logEntry)
    return logEntry
  }
}
