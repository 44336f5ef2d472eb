import pg from 'pg'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../../server/store/postgres/connection.ts'

test.each(['simple', 'lab password', 'a%20b@c:d/e?f#g', 'ü'])(
  'the client uses the password "%s" from the password file',
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

test.each([
  'postgres://sluice:old@db.example/sluice',
  'postgres://sluice@db.example/sluice?password=old',
  'postgres:///sluice?host=/run/postgresql&user=sluice',
])('the password from the password file is used with the address %s', (url) => {
  const client = new pg.Client(clientConfig({ url, password: 'new' }))
  expect([client.user, client.database, client.password]).toEqual(['sluice', 'sluice', 'new'])
})

test('PostgreSQL ends the transaction of a frozen instance after 10 s, unless the address sets a different timeout', () => {
  const timeoutOf = (url: string) => {
    const { connectionParameters } = new pg.Client(clientConfig({ url })) as pg.Client & {
      readonly connectionParameters: { readonly idle_in_transaction_session_timeout: number | string }
    }
    return Number(connectionParameters.idle_in_transaction_session_timeout)
  }
  const url = 'postgres://sluice@db.example/sluice'
  expect(timeoutOf(url)).toBe(10_000)
  expect(timeoutOf(`${url}?idle_in_transaction_session_timeout=300`)).toBe(300)
})
