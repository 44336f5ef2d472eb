import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { listBundled } from './scripts/building/bundled-packages.mjs'

/** Bundles the page. `scripts/building/bundle.mjs` bundles all other programs. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react(), listBundled('page')],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    // Chromium supports modulepreload links, so the page needs no polyfill.
    modulePreload: { polyfill: false },
    // The page's policy allows `data:` URLs, as of inlined assets, for images only.
    assetsInlineLimit: 0,
    // The page loads from the local disk, so large chunks are fine. `test/page/bundle.test.ts` limits the compressed
    // size.
    chunkSizeWarningLimit: 2_000,
  },
})
