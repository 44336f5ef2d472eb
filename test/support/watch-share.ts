import { lstat } from 'node:fs/promises'
import { watchShare } from '../../main/agent/platform/folders/watch-share.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'

/**
 * Watches a share and prints the events. After the first input on stdin, also watches a folder in the share. This runs
 * as a separate process: if the watch blocked the event loop, the process would not print `alive`.
 */
const [share = '', innerFolder = ''] = process.argv.slice(2)
const print = (line: string) => process.stdout.write(`${line}\n`)
const [folder] = settingsSchema.parse({
  service: { base_url: 'https://service.invalid' },
  folders: [{ path: share, site: 'lab' }],
}).folders
if (folder === undefined) throw new Error('no folder')
const { enter } = watchShare(
  folder,
  { ready: () => {}, hint: (path) => print(`hint ${path}`), error: (detail) => print(`error ${detail}`) },
  pathsOf(process.platform),
  lstat,
)
process.stdin.once('data', () => {
  // Timers fire only while the event loop runs.
  setTimeout(() => print('alive'), 50)
  void Promise.resolve(enter?.(innerFolder)).then(() => print('watching'))
})
print('ready')
