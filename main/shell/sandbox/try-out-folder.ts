import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../../local-files/durable-file.ts'

/** Everything that belongs to a journal and has no meaning without it. */
const JOURNALS_OWN = /^(journal\.|damaged-)/

const tryOutFolder = (dataFolder: string): string => path.join(dataFolder, 'try-out')

/**
 * The agent's data folder. What is processed in the embedded sandbox is on this PC only: in a journal of its own it
 * never counts as safe at a real service, which gets all of it once its address is entered. Until the two are apart
 * the try-out stays where its journal is.
 */
export const agentFolder = (dataFolder: string, triedOut: boolean): string => {
  const tryOut = tryOutFolder(dataFolder)
  return triedOut && existsSync(tryOut) ? tryOut : dataFolder
}

/**
 * Once per installation, before the first agent: until the try-out had a folder, its journal was the station's. Where
 * the station is being tried out, that journal is moved there; from then on the folder says that the two are apart,
 * so that a journal of real work never goes that way. A move that was interrupted is carried on, whatever the
 * settings have become.
 */
export const separateTryOut = (dataFolder: string, triedOut: boolean): void => {
  const folder = tryOutFolder(dataFolder)
  if (existsSync(folder)) return
  const filling = `${folder}.new`
  mkdirSync(filling, { recursive: true })
  if (triedOut || readdirSync(filling).length > 0) {
    for (const name of readdirSync(dataFolder).filter((entry) => JOURNALS_OWN.test(entry)))
      renameSync(path.join(dataFolder, name), path.join(filling, name))
    syncFolder(filling)
  }
  renameSync(filling, folder)
  syncFolder(dataFolder)
}
