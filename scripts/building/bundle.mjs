import path from 'node:path'
import { build } from 'vite'
import { ROOT } from '../launcher/project.mjs'
import { listBundled } from './bundled-packages.mjs'
import { writeInAscii } from './in-ascii.mjs'
import { keepLogsLocal } from './local-log.mjs'
import { askForOwnModules } from './own-modules.mjs'
import { PROGRAMS } from './programs.mjs'

/** Electron gives itself; the two others find their native part beside their own files. */
const NOT_BUNDLED = ['electron', 'better-sqlite3', 'koffi']

/** Into `out/main`; with --watch again after each change. One by one: a program shares no file with another one. */
for (const [name, entry] of Object.entries(PROGRAMS))
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [listBundled(name), askForOwnModules(), keepLogsLocal(), writeInAscii()],
    ssr: { noExternal: true, external: NOT_BUNDLED },
    build: {
      ssr: path.join(ROOT, entry),
      outDir: path.join(ROOT, 'out/main'),
      emptyOutDir: false,
      target: 'node24',
      // For stack traces, and for whoever opens a package.
      minify: false,
      watch: process.argv.includes('--watch') ? {} : null,
      rolldownOptions: { output: { entryFileNames: `${name}.js`, codeSplitting: false } },
    },
  })
