import { renameSync, symlinkSync } from 'node:fs'

/**
 * A separate process that acts as an attacker with write access to a watched folder. It moves a folder and puts a link
 * in its place. Then it switches the link between the moved folder and a foreign folder as fast as possible.
 */
const [folder, movedFolder, foreignFolder] = process.argv.slice(2) as [string, string, string]
const link = `${movedFolder}-link`
renameSync(folder, movedFolder)
for (let n = 0; ; n += 1) {
  symlinkSync(n % 2 === 0 ? movedFolder : foreignFolder, link)
  renameSync(link, folder)
  if (n === 0) process.send?.('swapping')
}
