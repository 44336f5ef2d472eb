import { lstat } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEventQueue } from '../../../../../../main/agent/platform/folders/event-queue.ts'
import { watchFolder } from '../../../../../../main/agent/platform/folders/folder-watch.ts'
import type { Sharing } from '../../../../../../main/agent/ports/folders.ts'
import { pathsOf } from '../../../../../../shared/paths/paths.ts'
import { folderSettings, temporaryFolder } from '../../../../../integration/platform-support.ts'
import { linux, needs } from '../../../../../support/needs.ts'

const watch = (path: string, sharing: Sharing, files = 100) => {
  const listener = { ready: () => {}, hint: () => {}, error: () => {} }
  const context = { sharing, files, queue: createEventQueue(), statOf: lstat }
  const folderWatch = watchFolder(folderSettings(path), listener, pathsOf(process.platform), context)
  onTestFinished(folderWatch.close)
  return folderWatch
}

it(
  'Sluice does not stat all files of a card at the same time, so a failing card cannot fill the thread pool',
  needs(linux),
  () => {
    expect(watch('/media/user/SD-CARD/DCIM', 'own').enter).not.toBeNull()
    expect(watch('/run/media/user/SD-CARD', 'own').enter).not.toBeNull()
  },
)

it('starting to watch 100,000 files does not block the event loop', needs(linux), () => {
  expect(watch(temporaryFolder(), 'own', 100_000).enter).not.toBeNull()
})

it('chokidar watches an ordinary folder of this PC', () => {
  expect(watch(temporaryFolder(), 'own').enter).toBeNull()
})
