import { setTimeout as sleep } from 'node:timers/promises'
import { createEventQueue } from '../../main/agent/platform/folders/event-queue.ts'
import { watchTree } from '../../main/agent/platform/folders/watch-tree.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'

/**
 * Watches a folder, and prints whether the watch is ready or failed. This is a separate process, so that it can have
 * its own rights and limits.
 */
const [folder] = settingsSchema.parse({
  service: { base_url: 'https://service.invalid' },
  folders: [{ path: process.argv[2], site: 'lab' }],
}).folders
if (folder === undefined) throw new Error('no folder')
const print = (line: string) => process.stdout.write(`${line}\n`)
const firstReport = Promise.withResolvers<void>()
const report = (line: string) => {
  print(line)
  firstReport.resolve()
}
const { close } = watchTree(
  folder,
  { ready: () => report('ready'), hint: () => {}, error: (detail) => report(`error ${detail}`) },
  pathsOf(process.platform),
  createEventQueue(),
)
await firstReport.promise
// Chokidar reads several folders at the same time, so a second error could follow shortly after the first.
await sleep(200)
close()
