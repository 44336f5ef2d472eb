import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { Watcher } from '../../main/agent/pipeline/watcher.ts'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { systemClock } from '../../main/agent/platform/system-clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings.ts'
import { type Bench, interleaved, timedMs } from './figure.ts'

/** A look through 100,000 files that the journal knows, with nothing new, against `find` telling the same facts of them. */

const FILES = 100_000
const PER_FOLDER = 1_000
const ROUNDS = 5
const silent = { info: () => {}, warn: () => {}, error: () => {} }

const findAll = async (folder: string): Promise<void> => {
  const child = spawn('find', [folder, '-type', 'f', '-printf', '%p %D %i %s %T@ %C@\\n'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`find ended with ${code}`)
}

export const benchFolderLook: Bench = async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-bench-look-'))
  const recordings = path.join(root, 'recordings')
  for (let n = 0; n < FILES; n += 1) {
    const folder = path.join(recordings, `night-${Math.floor(n / PER_FOLDER)}`)
    if (n % PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, `take-${n}.bin`), '')
  }
  const settings = settingsSchema.parse({
    service: { base_url: 'http://127.0.0.1:1' },
    folders: [{ path: recordings, site: 'lab' }],
  })
  const paths = pathsOf(process.platform)
  mkdirSync(path.join(root, 'data'))
  const { journal } = openJournal(path.join(root, 'data'), systemClock.wallMs, paths)
  const platform = createPlatform({
    clock: systemClock,
    log: silent,
    watchedFolders: () => [recordings],
    knownFolders: () => [recordings],
  })
  const looking = () =>
    new Watcher(settings.folders[0]!, {
      journal,
      eyes: { ...platform.eyes, watch: () => async () => {} },
      files: platform.files,
      clock: systemClock,
      log: silent,
      wake: () => {},
      paths,
      inner: [],
    })
  const look = () => looking().step(new AbortController().signal)
  try {
    const [ours = [], reference = []] = await interleaved(ROUNDS, [
      () => timedMs(look),
      () => timedMs(() => findAll(recordings)),
    ])
    return [
      {
        what: 'a look through 100,000 known files with nothing new',
        unit: 'ms',
        ours,
        reference: { name: 'find', values: reference },
        goal: { kind: 'times-the-reference', atMost: 5 },
      },
    ]
  } finally {
    await Promise.all([platform.hashing.close(), platform.largeHashing.close()])
    journal.close()
    rmSync(root, { recursive: true, force: true })
  }
}
