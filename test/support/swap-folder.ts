import { renameSync, symlinkSync } from 'node:fs'

/**
 * A separate process, like that of an attacker with write access to a watched folder. It moves a folder to `moved` and
 * puts a link in its place. The link points to the folder and to a foreign one in turn, as fast as possible.
 */
const [folder, moved, elsewhere] = process.argv.slice(2) as [string, string, string]
const link = `${moved}-link`
renameSync(folder, moved)
for (let n = 0; ; n += 1) {
  symlinkSync(n % 2 === 0 ? moved : elsewhere, link)
  renameSync(link, folder)
  if (n === 0) process.send?.('swapping')
}
