import { change, first, type Steps } from './steps.ts'

/** Named values that belong to the whole service. */
export const meta = {
  *get(name: string): Steps<string | undefined> {
    return (yield* first<{ value: string }>('SELECT value FROM meta WHERE name = @name', { name }))?.value
  },
  *set(name: string, value: string): Steps<void> {
    yield* change(
      `INSERT INTO meta (name, value) VALUES (@name, @value)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      { name, value },
    )
  },
  /** Keeps the first value, so that instances that start together use the same value. */
  *setOnce(name: string, value: string): Steps<string> {
    yield* change('INSERT INTO meta (name, value) VALUES (@name, @value) ON CONFLICT DO NOTHING', {
      name,
      value,
    })
    return (yield* meta.get(name))!
  },
  /**
   * When a server first used this database. The server never deletes older bytes: they may belong to a lost database
   * that is restored later.
   */
  *firstUsedAtMs(nowMs: number): Steps<number> {
    return Number(yield* meta.setOnce('first_used_at_ms', String(nowMs)))
  },
  /** Signed URLs of an earlier epoch are invalid. */
  *urlEpoch(): Steps<number> {
    return Number((yield* meta.get('url_epoch')) ?? 0)
  },
  *raiseUrlEpoch(): Steps<void> {
    yield* meta.set('url_epoch', String((yield* meta.urlEpoch()) + 1))
  },
}
