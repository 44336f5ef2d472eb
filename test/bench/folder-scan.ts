import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { Watcher } from '../../main/agent/flow/watch/watcher.ts'
import { openJournal } from '../../main/agent/journal/journal.ts'
import { createPlatform } from '../../main/agent/platform/platform.ts'
import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { HostedAgent } from '../support/hosted-agent.ts'
import { editJournal } from '../support/journal-file.ts'
import { Station } from '../support/station.ts'
import { type Bench, measureMs, runInterleaved } from './figure.ts'
import { writeKnownFiles } from './known-files.ts'

/**
 * Measures a scan of a folder in which the agent already knows every file, and the start of this agent. The reference
 * is `find`, which prints the attributes that the scan reads.
 */

const silent = { info: () => {}, warn: () => {}, error: () => {} }

const findAll = async (folder: string): Promise<void> => {
  const child = spawn('find', [folder, '-type', 'f', '-printf', '%p %D %i %s %T@ %C@\\n'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout.resume()
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`find ended with ${code}`)
}

const measureScans = async (station: Station, rounds: number): Promise<number[][]> => {
  const { recordings } = station
  const settings = settingsSchema.parse({
    service: { base_url: 'http://127.0.0.1:1' },
    folders: [{ path: recordings, site: 'lab' }],
  })
  const paths = pathsOf(process.platform)
  mkdirSync(station.data)
  const { journal } = openJournal(station.data, systemClock.wallMs, paths)
  const platform = createPlatform({
    clock: systemClock,
    log: silent,
    watchedFolders: () => [recordings],
    knownFolders: () => [recordings],
  })
  const createWatcher = () =>
    new Watcher(settings.folders[0]!, {
      journal,
      folderAccess: { ...platform.folderAccess, watch: () => ({ enter: null, close: () => {} }) },
      files: platform.files,
      clock: systemClock,
      log: silent,
      wake: () => {},
      onState: () => {},
      paths,
      inner: [],
    })
  const scan = () => createWatcher().step(new AbortController().signal)
  try {
    await scan()
    editJournal(station.data, `UPDATE recordings SET state = 'processed', processed_at = found_at`)
    return await runInterleaved(rounds, [() => measureMs(scan), () => measureMs(() => findAll(recordings))])
  } finally {
    await platform.close()
    journal.close()
  }
}

const measureStarts = (station: Station, rounds: number): Promise<number[][]> => {
  let agent: HostedAgent | null = null
  const start = async () => {
    agent = await HostedAgent.start(station)
    while (agent.status?.folders[0]?.state !== 'watching') await once(agent.child, 'message')
  }
  const stop = async () => {
    await agent?.stop()
    return 0
  }
  return runInterleaved(rounds, [
    () => measureMs(start),
    stop,
    () => measureMs(() => findAll(station.recordings)),
  ]).then(([ours = [], , reference = []]) => [ours, reference])
}

export const benchFolderScan: Bench = async ({ knownFiles, rounds, longRounds }) => {
  const station = await Station.open()
  try {
    writeKnownFiles(station.recordings, knownFiles)
    const [scanMs = [], findMs = []] = await measureScans(station, rounds)
    const [startMs = [], laterFindMs = []] = await measureStarts(station, longRounds)
    const files = knownFiles.toLocaleString('en')
    const goal = { kind: 'times-the-reference', atMost: 5 } as const
    return [
      {
        what: `a scan of ${files} known files with nothing new`,
        unit: 'ms',
        ours: scanMs,
        reference: { name: 'find', values: findMs },
        goal,
      },
      {
        what: `the agent's start with ${files} known files, until their folder is watched`,
        unit: 'ms',
        ours: startMs,
        reference: { name: 'find', values: laterFindMs },
        goal,
      },
    ]
  } finally {
    await station.close()
  }
}
