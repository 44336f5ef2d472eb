import { appendFileSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventQueue } from '../../main/agent/platform/folders/event-queue.ts'
import { watchTree } from '../../main/agent/platform/folders/watch-tree.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { type Bench, runInterleaved } from './figure.ts'

const WRITES = 200
const WRITE_INTERVAL_MS = 10
const FEW_FILES = 100

const processorMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const makeFolder = (root: string, files: number): string => {
  const folder = path.join(root, String(files))
  mkdirSync(folder)
  for (let file = 0; file < files; file += 1) writeFileSync(path.join(folder, `take-${file}.bin`), 'old')
  return folder
}

/** Waits until chokidar is ready, and returns the function that ends the watch. */
const watchWithChokidar = async (folder: string): Promise<() => void> => {
  const [settings] = settingsSchema.parse({
    service: { base_url: 'http://127.0.0.1:1' },
    folders: [{ path: folder, site: 'lab' }],
  }).folders
  const ready = Promise.withResolvers<void>()
  const listener = { ready: ready.resolve, hint: () => {}, error: (detail: string) => ready.reject(detail) }
  const { close } = watchTree(settings!, listener, pathsOf(process.platform), createEventQueue())
  await ready.promise
  return close
}

const processorMsPerWrite = async (folder: string): Promise<number> => {
  const before = processorMs()
  for (let write = 0; write < WRITES; write += 1) {
    appendFileSync(path.join(folder, 'take-0.bin'), 'x')
    await sleep(WRITE_INTERVAL_MS)
  }
  return (processorMs() - before) / WRITES
}

const measureChokidar = async (
  folder: string,
): Promise<{ readyProcessorMs: number; processorMsOfWrite: number }> => {
  const before = processorMs()
  const close = await watchWithChokidar(folder)
  const readyProcessorMs = processorMs() - before
  const processorMsOfWrite = await processorMsPerWrite(folder)
  close()
  return { readyProcessorMs, processorMsOfWrite }
}

const measureFsWatch = async (folder: string): Promise<number> => {
  const watcher = watch(folder, () => {})
  const processorMsOfWrite = await processorMsPerWrite(folder)
  watcher.close()
  return processorMsOfWrite
}

/**
 * Measures the processor time that chokidar needs to start watching a large folder, and then for each write into the
 * folder. Writes are compared with chokidar on a small folder, and with `fs.watch` on the large folder.
 */
export const benchWatching: Bench = async ({ watchedFiles, rounds }) => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-watching-'))
  try {
    const [few, many] = [makeFolder(root, FEW_FILES), makeFolder(root, watchedFiles)]
    const readyProcessorTimesMs: number[] = []
    const [ours = [], inFewFiles = [], withFsWatch = []] = await runInterleaved(rounds, [
      async () => {
        const { readyProcessorMs, processorMsOfWrite } = await measureChokidar(many)
        readyProcessorTimesMs.push(readyProcessorMs)
        return processorMsOfWrite
      },
      async () => (await measureChokidar(few)).processorMsOfWrite,
      () => measureFsWatch(many),
    ])
    const files = watchedFiles.toLocaleString('en')
    const what = `processor time per write into a watched folder of ${files} files`
    return [
      {
        what,
        unit: 'ms',
        ours,
        reference: { name: `a folder of ${FEW_FILES} files`, values: inFewFiles },
        goal: { kind: 'times-the-reference', atMost: 1.5 },
      },
      {
        what,
        unit: 'ms',
        ours,
        reference: { name: 'fs.watch', values: withFsWatch },
        goal: { kind: 'none' },
      },
      {
        what: `processor time until chokidar watches ${files} files`,
        unit: 'ms',
        ours: readyProcessorTimesMs.slice(1),
        reference: null,
        goal: { kind: 'none' },
      },
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
