// The first process of the container. When it ends, the kernel ends all other processes of the container.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { mountContainer } from './mounts.mjs'

const READ_INTERVAL_MS = 200
const CHUNK_BYTES = 64 * 1024

/** @type {import('./container.mjs').Container} */
const { debian, mounts, command, cwd, env } = JSON.parse(process.argv[2] ?? '')

process.stdin.resume().once('end', () => process.exit(1))
mountContainer(debian, mounts)

// The output goes to a file, because Wine loses the last output in a pipe.
const outputFile = path.join(debian, 'tmp/output')
const writer = openSync(outputFile, 'a')
const reader = openSync(outputFile, 'r')
const child = spawn(
  'chroot',
  [debian, '/usr/bin/env', '-i', '-C', cwd, ...formatVariables(env), ...command],
  {
    stdio: ['ignore', writer, writer],
  },
)
closeSync(writer)
const forwardTimer = setInterval(forwardOutput, READ_INTERVAL_MS)
child.once('exit', (code) => {
  clearInterval(forwardTimer)
  forwardOutput()
  process.stdout.write('', () => process.exit(code ?? 1))
})

function forwardOutput() {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (let length = readSync(reader, chunk); length > 0; length = readSync(reader, chunk))
    process.stdout.write(Buffer.from(chunk.subarray(0, length)))
}

/** @param {Readonly<Record<string, string>>} variables */
function formatVariables(variables) {
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`)
}
