import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FinishedTakes } from '../../main/agent/flow/settle/finished-takes.ts'
import { METADATA } from '../support/model/take-station.ts'
import { needs, posix } from '../support/needs.ts'
import { createFolders, createScanner } from './attacked-folders.ts'
import { folderSettings, identityAt } from './platform-support.ts'

test.each(['bag_1.mcap', 'parts/bag_1.mcap'])(
  'a link does not count as a file that `metadata.yaml` lists (%s)',
  needs(posix),
  async (listed) => {
    const { root, outside } = createFolders()
    const { journal, world } = createScanner(root)
    const folder = folderSettings(root, { take: 'folder' })
    const bag = path.join(root, 'bag')
    mkdirSync(bag)
    writeFileSync(path.join(outside, 'bag_1.mcap'), 'a night')
    for (const [name, content] of [
      ['bag_0.mcap', 'a night'],
      ['metadata.yaml', METADATA.replace('bag_1.mcap', listed)],
    ] as const) {
      const file = path.join(bag, name)
      writeFileSync(file, content)
      journal.recordings.add({ path: file, identity: await identityAt(file) }, folder, {
        findSessionFirst: false,
      })
    }
    if (listed === 'bag_1.mcap') symlinkSync(path.join(outside, listed), path.join(bag, listed))
    else symlinkSync(outside, path.join(bag, 'parts'))
    const takes = new FinishedTakes({ journal, files: world.files, paths: world.paths })
    const growing = journal.work.growing()
    for (const file of growing) takes.add(file, { identity: file.identity, settle: () => {} })
    const times = { quietMs: () => 0, settleMs: 10, unmarkedMs: 100 }
    const [take] = await takes.find(
      growing,
      () => times,
      () => folder,
    )
    expect(take).toMatchObject({ waitMs: 100, waitsFor: listed })
  },
)
