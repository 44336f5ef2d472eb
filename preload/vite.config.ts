import { defineConfig } from 'vite'
// @ts-expect-error Only `test/tsconfig.json` sets `allowJs`, so this JavaScript import has no types.
import { listBundled } from '../scripts/building/bundled-packages.mjs'
import { calls, eventNames } from '../shared/ipc/ipc.ts'

/** A sandboxed preload must be a single CommonJS file, so it is bundled. */
export default defineConfig({
  root: 'preload',
  plugins: [listBundled('preload')],
  define: {
    CALL_NAMES: JSON.stringify(Object.keys(calls)),
    EVENT_NAMES: JSON.stringify(eventNames),
  },
  build: {
    outDir: '../out/preload',
    emptyOutDir: true,
    target: 'chrome140',
    minify: false,
    lib: { entry: 'index.ts', formats: ['cjs'], fileName: () => 'index.cjs' },
    rolldownOptions: { external: ['electron'] },
  },
})
