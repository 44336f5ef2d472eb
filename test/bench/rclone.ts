import { execFile, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { endChild } from '../support/child-end.ts'

export const hasRclone = (): boolean => spawnSync('rclone', ['version']).status === 0

/** Starts rclone's WebDAV server, which hashes the received bytes. `copy` sends a folder to it, with checksums. */
export const startRclone = async (folder: string) => {
  const child = spawn(
    'rclone',
    ['serve', 'webdav', folder, '--addr', '127.0.0.1:0', '--etag-hash', 'SHA-256'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(line)
      if (match !== null) resolve(match[0])
    })
    child.once('exit', (code) => reject(new Error(`rclone ended with ${code}`)))
  })
  const remote = [
    `--webdav-url=${url}`,
    '--webdav-vendor=other',
    '--checksum',
    '--transfers=4',
    '--ignore-times',
  ]
  return {
    copy: (from: string) => promisify(execFile)('rclone', ['copy', from, ':webdav:', ...remote]),
    stop: () => endChild(child, 'SIGTERM'),
  }
}
