import { systemClock } from '../../shared/clock/clock.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { formatBytes, plural } from '../../shared/words/format.ts'
import { type VerifiedCopy, verifyCopies } from '../agent/calls/verify-all.ts'
import { changedContent } from '../agent/calls/verify-receipt.ts'
import { createPlatform } from '../agent/platform/platform.ts'
import { onEndingSignal } from './ending-signals.ts'
import { withJournal } from './journal-commands.ts'
import { replacedTexts, replaceEditedFiles } from './replace-edited.ts'
import { silentLog } from './station-settings.ts'
import { printJson, printLine, progressPrinter, wrapText } from './terminal.ts'

/** Shows on stderr how much of the files Sluice has read. */
export const readingProgress = (totalBytes: number) => {
  let readBytes = 0
  const progress = progressPrinter(
    process.stderr,
    (share) => `Reading again: ${Math.floor(share * 100)} % of ${formatBytes(totalBytes)}`,
  )
  return {
    onBytes: (bytes: number) => {
      readBytes += bytes
      progress.update(readBytes / totalBytes)
    },
    end: progress.end,
  }
}

type Counts = { readonly agrees: number; readonly differs: number; readonly unchecked: number }

export const disagreementTexts = ({ differs, unchecked }: Counts): readonly string[] => [
  ...(differs === 0 ? [] : [`${differs} ${differs === 1 ? 'differs' : 'differ'}`]),
  ...(unchecked === 0 ? [] : [`${unchecked} could not be checked`]),
]

const readAll = async (dataFolder: string) => {
  const { copies, folders } = withJournal(dataFolder, (journal) => ({
    copies: journal.views.localCopies(),
    folders: journal.volumes.knownFolders(),
  }))
  const paths = pathsOf(process.platform)
  const watchedFolders = () => folders
  const platform = createPlatform({
    clock: systemClock,
    log: silentLog,
    paths,
    watchedFolders,
    knownFolders: watchedFolders,
  })
  const progress = readingProgress(copies.reduce((sum, { bytes }) => sum + bytes, 0))
  const stop = new AbortController()
  const removeSignalListeners = onEndingSignal(() => stop.abort())
  try {
    const verified = await verifyCopies(copies, {
      platform,
      paths,
      signal: stop.signal,
      currentCopy: (id) => withJournal(dataFolder, (journal) => journal.views.localCopy(id)),
      onBytes: progress.onBytes,
    })
    return { verified, isStopped: stop.signal.aborted, total: copies.length }
  } finally {
    progress.end()
    removeSignalListeners()
    await platform.close()
  }
}

const printText = (verified: readonly VerifiedCopy[], summaries: readonly string[]): void => {
  for (const { path, disk } of verified) {
    if (disk.verdict === 'agrees' || disk.verdict === 'skipped') continue
    printLine(`${disk.verdict.padEnd(9)}  ${path}`)
    for (const line of wrapText(`Disk: ${disk.sentence}`, 11)) printLine(line)
  }
  for (const summary of summaries) for (const line of wrapText(summary, 0)) printLine(line)
}

/** Compares every local file with the journal. `exits` are the exit codes of `verify`. */
export const verifyAll = async (
  dataFolder: string,
  json: boolean,
  exits: { readonly agree: number; readonly differ: number; readonly unchecked: number },
): Promise<number> => {
  const { verified, isStopped, total } = await readAll(dataFolder)
  const edited = verified.filter(({ disk }) => disk === changedContent)
  const replaced = await replaceEditedFiles(
    dataFolder,
    edited.map(({ path, sha256 }) => ({ path, sha256 })),
  )
  const count = (verdict: string) => verified.filter(({ disk }) => disk.verdict === verdict).length
  const counts = { agrees: count('agrees'), differs: count('differs'), unchecked: count('unchecked') }
  if (json)
    printJson({
      ...counts,
      stopped: isStopped,
      replaced,
      recordings: verified.map(({ path, session_id, disk }) => ({
        verdict: disk.verdict,
        path,
        session_id,
        disk,
      })),
    })
  else {
    const otherTexts = [
      ...disagreementTexts(counts),
      ...(isStopped ? [`stopped after ${plural(verified.length, 'file')}`] : []),
    ]
    const agreeText = `${counts.agrees} of ${plural(total, 'local file')} ${counts.agrees === 1 ? 'agrees' : 'agree'} with the journal`
    printText(verified, [...replacedTexts(replaced), `${[agreeText, ...otherTexts].join(', ')}.`])
  }
  if (counts.differs > 0) return exits.differ
  return counts.unchecked > 0 || isStopped ? exits.unchecked : exits.agree
}
