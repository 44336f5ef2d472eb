export type Door = 'control' | 'storage'

/** One request as a test reads it; never the API key, nor a signed query. */
export type LoggedRequest = {
  readonly on: Door
  readonly at: number
  readonly method: string
  readonly path: string
  readonly idempotencyKey: string | null
  readonly requestId: string
  filename: string | null
  /** Null while it is under way, and for good where no answer was sent. */
  status: number | null
  answeredAt: number | null
  /** Whether its session had been completed, or was being completed, when it came. */
  completed: boolean
}

export class RequestLog {
  readonly entries: LoggedRequest[] = []

  begin(
    entry: Pick<LoggedRequest, 'on' | 'method' | 'path' | 'idempotencyKey' | 'requestId'>,
  ): LoggedRequest {
    const logged = {
      ...entry,
      at: Date.now(),
      filename: null,
      status: null,
      answeredAt: null,
      completed: false,
    }
    this.entries.push(logged)
    return logged
  }
}
