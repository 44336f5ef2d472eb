import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
// @ts-expect-error No types here: only test/tsconfig.json sets `allowJs`, to read types from JavaScript.
import { listBundled } from '../../scripts/building/bundled-packages.mjs'

const bridge = path.join(import.meta.dirname, '../bridge.ts')

/**
 * The lab's page shares components with the station's window. These components must not import the bridge, because a
 * browser has none.
 */
const refuseBridge: Plugin = {
  name: 'refuse-bridge',
  load(id) {
    if (path.normalize(id) === bridge) this.error('the page of the server must not import renderer/bridge.ts')
  },
}

/** Bundles the page that the server shows at `/`. The server finds the bundle beside its own program. */
export default defineConfig({
  root: 'renderer/lab-page',
  // No route of the contract starts with `/page`, so the files of the page hide none of them.
  base: '/page/',
  plugins: [react(), listBundled('lab-page'), refuseBridge],
  build: {
    outDir: '../../out/main/lab-page',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Inlined assets would be data: URLs, which the page's policy forbids.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
  },
})
