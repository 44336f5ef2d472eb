import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const NTDLL = 'usr/lib/aarch64-linux-gnu/wine/aarch64-unix/ntdll.so'

/** Instructions of arm64. The registers are in the lowest ten bits. */
const REGISTERS = 0x3ff
const STORE_LENGTH = 0xf900_0400
const STORE_STATUS_AND_ORDER = 0x889f_fc00
const STORE_STATUS = 0xb900_0000
const INSTRUCTION_BYTES = 4

/**
 * Fixes an error of Wine 10 on arm64. If a socket takes only a part of a write, Wine queues the rest, and later stores
 * a status directly after the queued bytes (`sock_send`). This store needs an aligned address. If the number of queued
 * bytes is not a multiple of four, the program ends with STATUS_DATATYPE_MISALIGNMENT. The fix finds this store by the
 * instruction before it, which stores the length, and replaces it with one that accepts every address.
 *
 * @param {string} tree a Debian with Wine
 */
export const fixWineArm64 = async (tree) => {
  const file = path.join(tree, NTDLL)
  if (existsSync(file)) await writeFile(file, withPlainStores(await readFile(file)))
}

/** @param {Buffer} program @returns {Buffer} */
export const withPlainStores = (program) => {
  const fixed = Buffer.from(program)
  for (let at = INSTRUCTION_BYTES; at + INSTRUCTION_BYTES <= fixed.length; at += INSTRUCTION_BYTES) {
    const [before, instruction] = [fixed.readUInt32LE(at - INSTRUCTION_BYTES), fixed.readUInt32LE(at)]
    if (
      isStore(before, STORE_LENGTH) &&
      isStore(instruction, STORE_STATUS_AND_ORDER) &&
      baseOf(before) === baseOf(instruction)
    )
      fixed.writeUInt32LE((STORE_STATUS | (instruction & REGISTERS)) >>> 0, at)
  }
  return fixed
}

const isStore = (/** @type {number} */ instruction, /** @type {number} */ kind) =>
  (instruction & ~REGISTERS) >>> 0 === kind

/** The number of the register that holds the address. */
const baseOf = (/** @type {number} */ instruction) => (instruction & REGISTERS) >>> 5
