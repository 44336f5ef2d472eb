import type { Database } from 'better-sqlite3'
import { type EarlierDenial, isSessionDenial, type SessionDenial } from '../domain/removal-rules.ts'
import type { Recording } from './row.ts'
import { Statements } from './statements.ts'

type Polled = Pick<Recording, 'id' | 'sessionId'>

type Row = {
  readonly unanswered_polls: number
  readonly denied_session: string | null
  readonly denial: string | null
  readonly denied_at: number
}

/**
 * The results of the polls before removals. A poll may be for the removal of another file of the take, so a result does
 * not change how long the polled file waits.
 */
export class RemovalPolls {
  readonly #statements: Statements

  constructor(db: Database) {
    this.#statements = new Statements(db)
  }

  /** The number of polls that got no answer in time. */
  unanswered({ id }: Polled): number {
    return this.#row(id)?.unanswered_polls ?? 0
  }

  noteUnanswered({ id }: Polled): void {
    this.#statements
      .of(
        `INSERT INTO removals (recording_id, action, aside, unanswered_polls) VALUES (?, 'delete', '', 1)
         ON CONFLICT DO UPDATE SET unanswered_polls = unanswered_polls + 1`,
      )
      .run(id)
  }

  /** Null if the last answer about the current session was no denial. */
  denial({ id, sessionId }: Polled): EarlierDenial | null {
    const row = this.#row(id)
    return row === undefined || row.denied_session !== sessionId || !isSessionDenial(row.denial)
      ? null
      : { denial: row.denial, atMs: row.denied_at }
  }

  noteDenial({ id, sessionId }: Polled, denial: SessionDenial, atMs: number): void {
    this.#statements
      .of(
        `INSERT INTO removals (recording_id, action, aside, denied_session, denial, denied_at)
         VALUES (?, 'delete', '', ?, ?, ?)
         ON CONFLICT DO UPDATE SET denied_session = excluded.denied_session, denial = excluded.denial,
           denied_at = excluded.denied_at`,
      )
      .run(id, sessionId, denial, atMs)
  }

  forgetDenial({ id }: Polled): void {
    this.#statements.of('UPDATE removals SET denial = NULL WHERE recording_id = ?').run(id)
  }

  #row(recordingId: number): Row | undefined {
    return this.#statements
      .of('SELECT unanswered_polls, denied_session, denial, denied_at FROM removals WHERE recording_id = ?')
      .get(recordingId) as Row | undefined
  }
}
