import { createRequire } from 'node:module'
import type koffi from 'koffi'

/**
 * The size of `SHA256_CTX`. It holds eight words of the hash, two of the length, 16 of unhashed bytes, one with the
 * number of unhashed bytes and one with the size of the digest.
 */
const STATE_BYTES = 112
const UNHASHED_COUNT_OFFSET = 104
const DIGEST_SIZE_OFFSET = 108
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const STATE_PREFIX = 'openssl3:'

type Library = {
  readonly init: (state: Buffer) => number
  readonly update: (state: Buffer, chunk: Uint8Array, bytes: number) => number
  readonly final: (digest: Buffer, state: Buffer) => number
}

/** Undefined before the first use. Null without OpenSSL 3, and on every system other than Linux. */
let library: Library | null | undefined

/** About eight times faster than WebAssembly. Only on Linux does the library of OpenSSL have a fixed name. */
const openLibrary = (): Library | null => {
  if (process.platform !== 'linux') return null
  try {
    const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
    const crypto = load('libcrypto.so.3')
    return {
      init: crypto.func('int SHA256_Init(_Inout_ uint8_t *state)'),
      update: crypto.func(
        'int SHA256_Update(_Inout_ uint8_t *state, _In_ const uint8_t *data, size_t bytes)',
      ),
      final: crypto.func('int SHA256_Final(_Out_ uint8_t *digest, _Inout_ uint8_t *state)'),
    } as Library
  } catch {
    return null
  }
}

/**
 * A SHA-256 by the system's OpenSSL. OpenSSL keeps the whole state in memory of the caller, so the state can be saved.
 */
export class OpenSslSha256 {
  readonly isFast = true
  readonly #library: Library
  readonly #state: Buffer

  private constructor(opened: Library, state: Buffer) {
    this.#library = opened
    this.#state = state
  }

  /** Null if the library is missing. */
  static create(): OpenSslSha256 | null {
    if (library === undefined) library = openLibrary()
    if (library === null) return null
    const state = Buffer.alloc(STATE_BYTES)
    library.init(state)
    return new OpenSslSha256(library, state)
  }

  /** Null if the library is missing, or if the state is damaged or was not saved by this class. */
  static load(saved: string): OpenSslSha256 | null {
    if (library === undefined) library = openLibrary()
    if (library === null || !saved.startsWith(STATE_PREFIX)) return null
    const state = Buffer.from(saved.slice(STATE_PREFIX.length), 'base64')
    // OpenSSL trusts its state: a wrong number would make it write outside the state.
    const isValid =
      state.length === STATE_BYTES &&
      readWord(state, UNHASHED_COUNT_OFFSET) < BLOCK_BYTES &&
      readWord(state, DIGEST_SIZE_OFFSET) === DIGEST_BYTES
    return isValid ? new OpenSslSha256(library, state) : null
  }

  update(chunk: Uint8Array): void {
    this.#library.update(this.#state, chunk, chunk.length)
  }

  save(): string {
    return STATE_PREFIX + this.#state.toString('base64')
  }

  digest(): string {
    const digest = Buffer.alloc(DIGEST_BYTES)
    this.#library.final(digest, Buffer.from(this.#state))
    return digest.toString('hex')
  }
}

/** OpenSSL's words have the processor's byte order, which is little-endian on x64 and arm64. */
const readWord = (state: Buffer, offset: number): number => state.readUInt32LE(offset)
