import { scanFolder } from '../../main/agent/platform/folders/folder-scan.ts'
import type { FolderSettings } from '../../shared/settings/settings.ts'

/** Scans one folder and prints the result. If root started it, it scans as the user "nobody". */
if (process.geteuid?.() === 0) {
  process.setgid?.(65534)
  process.setuid?.(65534)
}
const rules = { path: process.argv[2], include: ['**/*'], exclude: [], recursive: true }
const result = await scanFolder(rules as unknown as FolderSettings, new AbortController().signal)
console.log(JSON.stringify(result))
