import { systemClock } from '../../shared/clock/clock.ts'
import { previewSentences } from '../../shared/ipc/removal-preview.ts'
import { pathsOf } from '../../shared/paths/paths.ts'
import { afterUploadWords } from '../../shared/settings/after-upload.ts'
import { formatBytes, formatDate } from '../../shared/words/format.ts'
import { previewRemovals } from '../agent/calls/preview-removals.ts'
import { openJournalForCommand } from '../agent/journal/journal.ts'
import { freeBytesOf, identifyFile } from '../agent/platform/files/file-inspect.ts'
import { createFileOperations } from '../agent/platform/files/file-operations.ts'
import { refuseIfMoved } from '../local-files/moved-station.ts'
import { journalFolder } from './journal-folder.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { stationSettings } from './station-settings.ts'
import { printJson, printLine } from './terminal.ts'

/** Prints the files that the `after_upload` rules would remove now. Changes nothing. */
const printPreview = async (input: CommandInput<'settings' | 'managed'>): Promise<void> => {
  // After a move, the settings and the journal in the old folder are outdated.
  refuseIfMoved(journalFolder(input))
  const paths = pathsOf(process.platform)
  const { folders } = stationSettings(input).settings
  const watchedFolders = folders.map(({ path }) => path)
  const journal = openJournalForCommand(journalFolder(input), systemClock.wallMs, paths)
  const dependencies = {
    journal,
    paths,
    nowMs: systemClock.wallMs(),
    operations: createFileOperations(paths.toOpen, paths.finder(watchedFolders)),
    files: {
      identify: (path: string) => identifyFile(paths.toOpen(path), paths.finder(watchedFolders)(path)),
      freeBytes: (folder: string) => freeBytesOf(paths.toOpen(folder)),
    },
  }
  try {
    const previews = []
    for (const { path, after_upload } of folders)
      previews.push({
        path,
        after_upload,
        ...(await previewRemovals(dependencies, path, after_upload, watchedFolders)),
      })
    if (input.json) return printJson(previews)
    for (const { path, after_upload, ...preview } of previews) {
      printLine(`${path}: ${afterUploadWords(after_upload)}.`)
      if (after_upload.action === 'keep') continue
      for (const sentence of previewSentences(preview, after_upload.action)) printLine(`  ${sentence}`)
      for (const file of preview.files)
        printLine(`  ${file.path}  ${formatBytes(file.bytes)}  processed on ${formatDate(file.processedAt)}`)
      if (preview.count > preview.files.length)
        printLine(`  and ${preview.count - preview.files.length} more`)
    }
  } finally {
    journal.close()
  }
}

export const previewCommand = defineCommand({
  name: 'preview',
  group: 'verify',
  summary: 'list the files that the after_upload rules would move or delete now',
  about: [
    'Changes nothing and does not contact the service. Before Sluice really moves or deletes a file, it also checks the content of the file and the session at the service.',
  ],
  data: 'own',
  options: settingsOptions,
  json: 'a list of folders, each with its rule, the number of files and bytes that would be removed, and the first files.',
  exits: { 0: 'the preview was printed' },
  examples: ['sluice preview'],
  run: async (input) => {
    await printPreview(input)
    return 0
  },
})
