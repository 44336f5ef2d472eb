import { afterUploadWords } from '../../../shared/after-upload.ts'
import { formatBytes, formatDate } from '../../../shared/format.ts'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { previewSentences } from '../../../shared/removal-preview.ts'
import { previewRemovals } from '../calls/preview-removals.ts'
import { openJournalBeside } from '../journal/journal.ts'
import { createFileActs } from '../platform/files/file-acts.ts'
import { freeBytesOf, identifyFile } from '../platform/files/file-inspect.ts'
import { systemClock } from '../platform/system-clock.ts'
import { readSettings } from './settings-file.ts'
import { printJson, printLine } from './terminal.ts'

export type PreviewOptions = { readonly data: string; readonly settings: string; readonly json: boolean }

/** What would leave each folder now. Works beside a running agent, and changes nothing. */
export const previewRemoved = async ({ data, settings, json }: PreviewOptions): Promise<void> => {
  const paths = pathsOf(process.platform)
  const { folders } = readSettings(settings, process.env).settings
  const watched = folders.map(({ path }) => path)
  const journal = openJournalBeside(data, systemClock.wallMs, paths)
  const world = {
    journal,
    paths,
    nowMs: systemClock.wallMs(),
    acts: createFileActs(paths.toOpen, paths.finder(watched)),
    files: {
      identify: (path: string) => identifyFile(paths.toOpen(path), paths.finder(watched)(path)),
      freeBytes: (folder: string) => freeBytesOf(paths.toOpen(folder)),
    },
  }
  try {
    const previews = []
    for (const { path, after_upload } of folders)
      previews.push({ path, after_upload, ...(await previewRemovals(world, path, after_upload, watched)) })
    if (json) return printJson(previews)
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
