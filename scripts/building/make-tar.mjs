import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * @param {{ app: string, folder: string, version: string, isForTests: boolean }} options
 * @returns {Promise<string>} the path of the archive
 */
export const makeTar = async ({ app, folder, version, isForTests }) => {
  const name = `sluice-agent-${version}${isForTests ? '-for-tests' : ''}-linux-${process.arch}`
  const file = path.join(folder, `${name}.tar.gz`)
  // Sorts the files and gives all of them the same owner and time, so that the same app always makes the same archive.
  await run(
    'tar',
    [
      ...[
        '--sort=name',
        `--mtime=@${process.env.SOURCE_DATE_EPOCH}`,
        '--owner=0',
        '--group=0',
        '--numeric-owner',
      ],
      ...['--mode=u+rwX,go+rX,go-w', `--transform=s,^\\.,${name},`, '--use-compress-program=gzip -n -6'],
      ...['-cf', file, '-C', app, '.'],
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  )
  return file
}

/** Writes the checksums in the format of `sha256sum --check`. @param {string} folder @param {readonly string[]} files */
export const writeChecksums = async (folder, files) => {
  const lines = []
  for (const file of files) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    lines.push(`${hash.digest('hex')}  ${path.basename(file)}\n`)
  }
  await writeFile(path.join(folder, 'SHA256SUMS'), lines.join(''))
}
