import { numbered } from '../domain/keeping.ts'
import type { StageWorld } from '../stage/stage.ts'

const MOST_NAMES = 1_000

export type RemovalWorld = Pick<
  StageWorld,
  'journal' | 'files' | 'acts' | 'eyes' | 'paths' | 'clock' | 'log' | 'rescan'
>

/** Back to where it was; beside it where something new has its name. Then it is found and known by its content. */
export const putBack = async (
  { acts }: Pick<RemovalWorld, 'acts'>,
  path: string,
  aside: string,
): Promise<{ readonly path: string } | 'vanished' | 'refused'> => {
  for (let attempt = 1; attempt <= MOST_NAMES; attempt += 1) {
    const name = numbered(path, attempt)
    const acted = await acts.place(aside, name)
    if (acted.kind === 'done') return { path: name }
    if (acted.kind === 'taken') continue
    return acted.kind === 'vanished' ? 'vanished' : 'refused'
  }
  return 'refused'
}
