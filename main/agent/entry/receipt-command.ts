import { hostname } from 'node:os'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { makeReceipt } from '../calls/make-receipt.ts'
import { openJournalBeside, type ReceiptScope } from '../journal/journal.ts'
import { systemClock } from '../platform/system-clock.ts'
import { writeNewFile } from './new-file.ts'
import { printLine } from './terminal.ts'

export type ReceiptOptions = {
  readonly data: string
  readonly scope: ReceiptScope
  readonly format: 'json' | 'csv'
  /** Standard output unless given. */
  readonly out: string | null
}

/** Works beside a running agent: it only reads the journal. */
export const writeReceipt = async (options: ReceiptOptions): Promise<void> => {
  const paths = pathsOf(process.platform)
  const scope =
    options.scope.kind === 'path'
      ? { ...options.scope, path: paths.resolve(process.cwd(), options.scope.path) }
      : options.scope
  const journal = openJournalBeside(options.data, systemClock.wallMs, paths)
  try {
    const { text, recordings } = await makeReceipt(journal, scope, {
      station: hostname(),
      format: options.format,
      nowMs: systemClock.wallMs(),
    })
    if (options.out === null) {
      await new Promise((resolve) => process.stdout.write(text, resolve))
      return
    }
    writeNewFile(options.out, text)
    printLine(
      `${recordings === 1 ? '1 recording' : `${recordings} recordings`} written to ${options.out}`,
      process.stderr,
    )
  } finally {
    journal.close()
  }
}
