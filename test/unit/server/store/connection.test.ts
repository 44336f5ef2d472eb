import pg from 'pg'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../../server/store/postgres/connection.ts'

test.each(['simple', 'lab password', 'a%20b@c:d/e?f#g', 'ü'])(
  'the client uses the password "%s" of the file',
  (password) => {
    const client = new pg.Client(clientConfig({ url: 'postgres://sluice@db.example/sluice', password }))
    expect([client.user, client.host, client.database, client.password]).toEqual([
      'sluice',
      'db.example',
      'sluice',
      password,
    ])
  },
)
