import { open } from 'node:fs/promises'
import path from 'node:path'
import type { SettingsReading } from '../../../shared/ipc/settings-reading.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { MAX_SETTINGS_BYTES, readSettingsFile } from '../../../shared/settings/read-settings-file.ts'
import { READ_ANY } from '../../local-files/plain-file.ts'
import { Refused } from '../calls/answer-call.ts'

/** Reads the file that the user picked for an import, unless it is too large for a settings file. */
export const readPickedSettings = async (file: string): Promise<SettingsReading> => {
  const name = path.basename(file)
  const handle = await open(file, READ_ANY).catch(() => {
    throw new Refused(`${file} cannot be opened. Is it still there, and may you read it?`)
  })
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > MAX_SETTINGS_BYTES)
      return {
        kind: 'refused',
        name,
        faults: [{ line: null, sentence: 'This is no settings file: it is far too large for one.' }],
      }
    return { name, ...readSettingsFile(await handle.readFile(), pathsOf(process.platform)) }
  } finally {
    await handle.close()
  }
}
