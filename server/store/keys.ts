import type { Db } from './open.ts'

export type KeyRow = {
  readonly key: string
  readonly org_id: string
  readonly can_write: 0 | 1
  readonly revoked: 0 | 1
}

export type KeyStore = ReturnType<typeof keyStore>

export function keyStore(db: Db) {
  const get = db.prepare<[string], KeyRow>('SELECT * FROM keys WHERE key = ?')
  const addOrg = db.prepare('INSERT OR IGNORE INTO orgs (id, name) VALUES (?, ?)')
  const addKey = db.prepare(
    'INSERT INTO keys (key, org_id, can_write, revoked) VALUES (@key, @org_id, @can_write, @revoked)',
  )
  const removeKeys = db.prepare('DELETE FROM keys')
  const meta = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const setMeta = db.prepare(
    'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )

  return {
    get: (key: string): KeyRow | undefined => get.get(key),
    addOrg: (id: string, name: string): void => void addOrg.run(id, name),
    replaceKeys(rows: readonly KeyRow[]): void {
      removeKeys.run()
      for (const row of rows) addKey.run(row)
    },
    meta: (name: string): string | undefined => meta.get(name) as string | undefined,
    setMeta: (name: string, value: string): void => void setMeta.run(name, value),
    /** Signed URLs of an earlier epoch are invalid. */
    urlEpoch: (): number => Number(meta.get('url_epoch') ?? 0),
    raiseUrlEpoch(): void {
      setMeta.run('url_epoch', String(Number(meta.get('url_epoch') ?? 0) + 1))
    },
  }
}
