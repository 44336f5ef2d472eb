import type { Database } from 'better-sqlite3'
import type { VolumeIdentity } from '../ports/folders.ts'
import { Statements } from './statements.ts'

/** A folder to which Sluice moves files, and the volume that the folder was on when Sluice started the copy. */
export type Archive = { readonly folder: string; readonly volume: VolumeIdentity }

export type ArchiveCopy = {
  readonly path: string
  readonly archive: Archive
  /** The final path of the copy, or null if the copy is no longer needed. Only `leftover` fills this in. */
  readonly target: string | null
}

type Row = {
  readonly path: string
  readonly root: string
  readonly device: string
  readonly inode: string
  readonly target: string | null
}

const toCopy = ({ path, root, device, inode, target }: Row): ArchiveCopy => ({
  path,
  archive: { folder: root, volume: { device, inode } },
  target,
})

/**
 * The temporary paths of the copies in archives. Sluice stores a path before it starts the copy, and deletes it when
 * the move is finished or the copy is gone.
 */
export class ArchiveCopies {
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

  of(path: string): ArchiveCopy | null {
    const row = this.#statements.of('SELECT *, NULL AS target FROM made_copies WHERE path = ?').get(path)
    return row === undefined ? null : toCopy(row as Row)
  }

  paths(): string[] {
    const rows = this.#statements.of('SELECT path FROM made_copies').all()
    return (rows as { readonly path: string }[]).map(({ path }) => path)
  }

  /** All copies except those of removals in progress. */
  leftover(): ArchiveCopy[] {
    const rows = this.#statements
      .of(
        `SELECT made_copies.*, removals.target FROM made_copies
         LEFT JOIN removals ON removals.copy = made_copies.path AND (placed = 1 OR step IS NOT NULL)
         WHERE removals.step IS NULL`,
      )
      .all()
    return (rows as Row[]).map(toCopy)
  }

  /** The archive folders of all stored copies, including folders that are no longer in the settings. */
  archives(): string[] {
    const rows = this.#statements.of('SELECT DISTINCT root FROM made_copies').all()
    return (rows as { readonly root: string }[]).map(({ root }) => root)
  }
}
