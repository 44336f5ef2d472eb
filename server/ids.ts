import { randomBytes } from 'node:crypto'

export type RandomBytes = (size: number) => Buffer

export type IdPrefix = 'ses' | 'req' | 'evt' | 'whe' | 'org' | 'key'

/** §2.1: identifiers carry a type prefix. */
export type IdMaker = (prefix: IdPrefix) => string

const alphabet = '0123456789abcdefghijkmnpqrstuvwxyz'

export function createIdMaker(random: RandomBytes): IdMaker {
  return (prefix) => {
    let id = ''
    for (const byte of random(20)) id += alphabet[byte % alphabet.length]
    return `${prefix}_${id}`
  }
}

export const systemRandom: RandomBytes = (size) => randomBytes(size)
