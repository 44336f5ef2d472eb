import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { servePage } from './page-server.ts'
import type { Given } from './stage.ts'

/** Sets up the server and the journals once for all stages of a run, and removes them after the last. */
export const prepare = async (): Promise<{ readonly given: Given; readonly clear: () => void }> => {
  const server = await servePage()
  const journals = mkdtempSync(path.join(tmpdir(), 'sluice-page-made-'))
  return {
    given: { origin: server.origin, journals },
    clear: () => {
      server.close()
      rmSync(journals, { recursive: true, force: true })
    },
  }
}
