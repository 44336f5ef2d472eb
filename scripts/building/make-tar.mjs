import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * @param {import('./linux-package.mjs').LinuxPackageOptions} options
 * @returns {Promise<string>} the path of the archive
 */
export const makeTar = async ({ app, folder, version, arch }) => {
  const name = `sluice-agent-${version}-linux-${arch}`
  const file = path.join(folder, `${name}.tar.gz`)
  // The order, owner and time of the files are fixed, so that the archive is reproducible.
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
