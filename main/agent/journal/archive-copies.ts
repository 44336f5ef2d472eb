import type { Database } from 'better-sqlite3'
import type { VolumeIdentity } from '../ports/folders.ts'
import { Statements } from './statements.ts'

/** The folder that files are moved to, and the drive that was there. */
export type Archive = { readonly folder: string; readonly volume: VolumeIdentity }

export type MadeCopy = {
  readonly path: string
  readonly archive: Archive
  /** Where the copy belongs; null if nobody needs it. */
  readonly target: string | null
}

type Row = {
  readonly path: string
  readonly root: string
  readonly device: string
  readonly inode: string
  readonly target: string | null
}

const toCopy = ({ path, root, device, inode, target }: Row): MadeCopy => ({
  path,
  archive: { folder: root, volume: { device, inode } },
  target,
})

/** The name of every copy that was begun in an archive, from before it is made until it is known to be gone. */
export class MadeCopies {
  readonly #statements: Statements

  constructor(db: Database) {
    this.#statements = new Statements(db)
  }

  note(path: string, { folder, volume }: Archive): void {
    this.#statements
      .of('INSERT OR REPLACE INTO made_copies (path, root, device, inode) VALUES (?, ?, ?, ?)')
      .run(path, folder, volume.device, volume.inode)
  }

  forget(path: string): void {
    this.#statements.of('DELETE FROM made_copies WHERE path = ?').run(path)
  }

  of(path: string): MadeCopy | null {
    const row = this.#statements.of('SELECT *, NULL AS target FROM made_copies WHERE path = ?').get(path)
    return row === undefined ? null : toCopy(row as Row)
  }

  /** All but those of removals under way. */
  leftover(): MadeCopy[] {
    const rows = this.#statements
      .of(
        `SELECT made_copies.*, removals.target FROM made_copies
         LEFT JOIN removals ON removals.copy = made_copies.path AND (placed = 1 OR step IS NOT NULL)
         WHERE removals.step IS NULL`,
      )
      .all()
    return (rows as Row[]).map(toCopy)
  }

  /** Folders that the settings may not name any more. */
  archives(): string[] {
    const rows = this.#statements.of('SELECT DISTINCT root FROM made_copies').all()
    return (rows as { readonly root: string }[]).map(({ root }) => root)
  }
}
