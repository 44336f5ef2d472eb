import { expect, test } from 'vitest'
import { FollowedKeyFile } from '../../../../main/managed/followed-key-file.ts'
import type { KeyRead } from '../../../../main/managed/key-file.ts'

const good = (key: string): KeyRead => ({ ok: true, key })
const bad: KeyRead = { ok: false, sentence: 'The key file /k is missing.' }

const followed = () => {
  const world = { nowMs: 0, read: bad as KeyRead, said: [] as string[] }
  const file = new FollowedKeyFile({
    clock: { monotonicMs: () => world.nowMs },
    log: (sentence) => world.said.push(sentence),
    read: () => world.read,
  })
  const look = (read: KeyRead, atMs: number, name = '/k') => {
    world.read = read
    world.nowMs = atMs
    return file.read(name)
  }
  return { look, said: world.said }
}

test('a key file that cannot be read for a moment takes no key away, and that is said once', () => {
  const { look, said } = followed()
  expect(look(good('a'), 0)).toEqual(good('a'))
  expect(look(bad, 15_000)).toEqual(good('a'))
  expect(look(bad, 30_000)).toEqual(good('a'))
  expect(said).toEqual([
    'The key file /k is missing. The key that was read before is used for another minute.',
  ])
  expect(look(good('b'), 45_000)).toEqual(good('b'))
  expect(said.at(-1)).toBe('The key file /k can be read again.')
})

test('after a minute it is gone, also for one that was never good, and another file starts anew', () => {
  const { look } = followed()
  expect(look(bad, 0)).toEqual(bad)
  look(good('a'), 1_000)
  expect(look(bad, 2_000)).toEqual(good('a'))
  expect(look(bad, 62_000)).toEqual(bad)
  expect(look(bad, 63_000)).toEqual(bad)
  look(good('a'), 64_000)
  expect(look(bad, 65_000, '/other')).toEqual(bad)
})
