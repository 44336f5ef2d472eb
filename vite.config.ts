import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { listBundled } from './scripts/building/bundled-packages.mjs'

/** The page; the programs of main, agent and sandbox are bundled by scripts/building/bundle.mjs. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react(), listBundled('page')],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    // What a file imports is asked for with it, not once it has been read.
    modulePreload: { polyfill: false },
    // Inlined assets would be data: URLs, which the page's policy allows for images only.
    assetsInlineLimit: 0,
    // Loaded from the disk at once; a test holds its compressed size.
    chunkSizeWarningLimit: 2_000,
  },
})
