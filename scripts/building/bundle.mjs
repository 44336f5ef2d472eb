import path from 'node:path'
import { build } from 'vite'
import { ROOT } from '../launcher/project.mjs'
import { listBundled } from './bundled-packages.mjs'
import { escapeBundles } from './escape-to-ascii.mjs'
import { keepLogsLocal } from './local-log.mjs'
import { PROGRAMS } from './programs.mjs'
import { requireBuiltins } from './require-builtins.mjs'

/** Not bundled: Electron provides its own module; the other two packages load native files from their own folders. */
const EXTERNAL = ['electron', 'better-sqlite3', 'koffi']

/** Bundles each program into one file in `out/main`, without shared chunks. `--watch` bundles after each change. */
for (const [name, entry] of Object.entries(PROGRAMS))
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    plugins: [listBundled(name), requireBuiltins(), keepLogsLocal(), escapeBundles()],
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: path.join(ROOT, entry),
      outDir: path.join(ROOT, 'out/main'),
      emptyOutDir: false,
      target: 'node24',
      // Keeps stack traces and the code in the package readable.
      minify: false,
      watch: process.argv.includes('--watch') ? {} : null,
      rolldownOptions: { output: { entryFileNames: `${name}.js`, codeSplitting: false } },
    },
  })
