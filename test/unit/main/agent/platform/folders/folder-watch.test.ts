import { lstat } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEventQueue } from '../../../../../../main/agent/platform/folders/event-queue.ts'
import { watchFolder } from '../../../../../../main/agent/platform/folders/folder-watch.ts'
import type { Sharing } from '../../../../../../main/agent/ports/folders.ts'
import { pathsOf } from '../../../../../../shared/paths/paths.ts'
import { folderSettings, temporaryFolder } from '../../../../../integration/platform-support.ts'
import { linux, needs } from '../../../../../support/needs.ts'

const watch = (path: string, sharing: Sharing) => {
  const listener = { ready: () => {}, hint: () => {}, error: () => {} }
  const context = { sharing, queue: createEventQueue(), statOf: lstat }
  const folderWatch = watchFolder(folderSettings(path), listener, pathsOf(process.platform), context)
  onTestFinished(folderWatch.close)
  return folderWatch
}

it(
  'a failing card cannot fill the thread pool, because no watch lists all its files at once',
  needs(linux),
  () => {
    expect(watch('/media/user/SD-CARD/DCIM', 'own').enter).not.toBeNull()
    expect(watch('/run/media/user/SD-CARD', 'own').enter).not.toBeNull()
  },
)

it('chokidar watches an ordinary folder of this PC', () => {
  expect(watch(temporaryFolder(), 'own').enter).toBeNull()
})
