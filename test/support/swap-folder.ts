import { renameSync, symlinkSync } from 'node:fs'

/**
 * A process of its own, as somebody who may write into a watched folder would run it: moves a folder to `moved` and puts
 * a link in its place, which leads to the folder and to somebody else's in turn, as fast as it can.
 */
const [folder, moved, elsewhere] = process.argv.slice(2) as [string, string, string]
const link = `${moved}-link`
renameSync(folder, moved)
for (let n = 0; ; n += 1) {
  symlinkSync(n % 2 === 0 ? moved : elsewhere, link)
  renameSync(link, folder)
  if (n === 0) process.send?.('swapping')
}
