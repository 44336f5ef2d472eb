import { expect, test } from 'vitest'
import type { KeyRead } from '../../../../main/managed/key-file.ts'
import { PolledKeyFile } from '../../../../main/managed/polled-key-file.ts'

const good = (key: string): KeyRead => ({ ok: true, key })
const bad: KeyRead = { ok: false, sentence: 'The key file /k is missing.' }

const createPolledFile = () => {
  const world = { nowMs: 0, read: bad as KeyRead, logged: [] as string[] }
  const file = new PolledKeyFile({
    clock: { monotonicMs: () => world.nowMs },
    log: (sentence) => world.logged.push(sentence),
    read: () => world.read,
  })
  const readAt = (read: KeyRead, atMs: number, name = '/k') => {
    world.read = read
    world.nowMs = atMs
    return file.read(name)
  }
  return { readAt, logged: world.logged }
}

test('keeps the key while the file is unreadable for less than a minute, and logs this once', () => {
  const { readAt, logged } = createPolledFile()
  expect(readAt(good('a'), 0)).toEqual(good('a'))
  expect(readAt(bad, 15_000)).toEqual(good('a'))
  expect(readAt(bad, 30_000)).toEqual(good('a'))
  expect(logged).toEqual(['The key file /k is missing. Sluice uses the last key for another minute.'])
  expect(readAt(good('b'), 45_000)).toEqual(good('b'))
  expect(logged.at(-1)).toBe('The key file /k can be read again.')
})

test('drops the key after a minute, and does not use it for a different file', () => {
  const { readAt } = createPolledFile()
  expect(readAt(bad, 0)).toEqual(bad)
  readAt(good('a'), 1_000)
  expect(readAt(bad, 2_000)).toEqual(good('a'))
  expect(readAt(bad, 62_000)).toEqual(bad)
  expect(readAt(bad, 63_000)).toEqual(bad)
  readAt(good('a'), 64_000)
  expect(readAt(bad, 65_000, '/other')).toEqual(bad)
})
