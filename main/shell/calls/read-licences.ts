import { open } from 'node:fs/promises'
import { type Licence, licencesSchema } from '../../../shared/ipc/licences.ts'
import { Refused } from './answer-call.ts'

/** Some tens of times of what is shipped today; it goes to the page in one piece. */
const MAX_BYTES = 4 * 1024 * 1024

/** The list that the build made of what is shipped with this program. */
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
