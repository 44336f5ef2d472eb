import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { PageFixtures } from './page-pool.ts'
import { servePage } from './page-server.ts'

/** Starts the page's server and creates the folder for the journals, once per run. `remove` undoes both. */
export const createPageFixtures = async (): Promise<{
  readonly fixtures: PageFixtures
  readonly remove: () => void
}> => {
  const server = await servePage()
  const journals = mkdtempSync(path.join(tmpdir(), 'sluice-page-journals-'))
  return {
    fixtures: { origin: server.origin, journals },
    remove: () => {
      server.close()
      rmSync(journals, { recursive: true, force: true })
    },
  }
}
