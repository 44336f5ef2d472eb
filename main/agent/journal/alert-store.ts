import type { Database } from 'better-sqlite3'
import type { AlertedNeed } from '../domain/alert-message.ts'
import { Statements, transaction } from './statements.ts'

export type WaitingAlert = {
  readonly id: string
  readonly body: string
  readonly madeAtMs: number
  readonly attempts: number
  readonly nextAttemptAtMs: number
}

/** The reported problems that are still open (`AlertedNeed`), and the alerts that wait for delivery. */
export class AlertStore {
  readonly #db: Database
  readonly #statements: Statements

  constructor(db: Database) {
    this.#db = db
    this.#statements = new Statements(db)
  }

  reportedNeeds(): readonly AlertedNeed[] {
    const rows = this.#statements.of('SELECT need FROM told_alerts ORDER BY rowid').pluck().all() as string[]
    return rows.map((need) => JSON.parse(need) as AlertedNeed)
  }

  /**
   * Call before sending the alert. After a crash, Sluice then repeats this alert with the same id instead of creating a
   * second one.
   */
  report(
    message: { readonly id: string; readonly body: string; readonly madeAtMs: number },
    newNeeds: readonly AlertedNeed[],
    endedSubjects: readonly string[],
  ): void {
    transaction(this.#db, () => {
      for (const need of newNeeds)
        this.#statements
          .of('INSERT OR REPLACE INTO told_alerts (subject, need) VALUES (?, ?)')
          .run(need.subject, JSON.stringify(need))
      for (const subject of endedSubjects)
        this.#statements.of('DELETE FROM told_alerts WHERE subject = ?').run(subject)
      this.#statements
        .of('INSERT INTO waiting_alerts (id, body, made_at) VALUES (?, ?, ?)')
        .run(message.id, message.body, message.madeAtMs)
    })
  }

  waitingAlert(): WaitingAlert | null {
    const row = this.#statements
      .of(
        `SELECT id, body, made_at AS madeAtMs, attempts, next_attempt_at AS nextAttemptAtMs
         FROM waiting_alerts ORDER BY made_at LIMIT 1`,
      )
      .get()
    return (row as WaitingAlert | undefined) ?? null
  }

  postpone(id: string, untilMs: number): void {
    this.#statements
      .of('UPDATE waiting_alerts SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?')
      .run(untilMs, id)
  }

  /** Call when the alert is delivered or given up. */
  settle(id: string): void {
    this.#statements.of('DELETE FROM waiting_alerts WHERE id = ?').run(id)
  }

  /** Call when alerts are turned off. After they are turned on again, Sluice reports every open problem. */
  forget(): void {
    if (this.waitingAlert() === null && this.reportedNeeds().length === 0) return
    transaction(this.#db, () => {
      this.#statements.of('DELETE FROM waiting_alerts').run()
      this.#statements.of('DELETE FROM told_alerts').run()
    })
  }
}
