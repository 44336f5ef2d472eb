import { type Licence, licencesSchema } from '../../../shared/ipc/licences.ts'
import { Refused } from '../../station-store/refused.ts'

/**
 * Only Electron's own `node:fs` can read the list inside the `.asar` archive of a package. The build would replace an
 * import of this module with `original-fs` (`scripts/building/require-builtins.mjs`).
 */
const { open } = process.getBuiltinModule('node:fs/promises')

/** The list is far smaller. A larger file is damaged and must not be sent to the page. */
const MAX_BYTES = 4 * 1024 * 1024

/** Reads the list of shipped packages, which the build creates. */
export const readLicences = async (file: string): Promise<readonly Licence[]> => {
  const text = await textOf(file).catch(() => null)
  const parsed = licencesSchema.safeParse(text === null ? null : jsonOf(text))
  if (!parsed.success)
    throw new Refused('The list of licences shipped with Sluice cannot be read. Install Sluice again.')
  return parsed.data
}

const textOf = async (file: string): Promise<string | null> => {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    return size > MAX_BYTES ? null : await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
