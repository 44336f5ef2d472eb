import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { servePage } from './page-server.ts'
import type { Given } from './stage.ts'

/** Set up once for all stages of a run, and removed after the last. */
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
