import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
// @ts-expect-error Only test/tsconfig.json sets `allowJs`, so this JavaScript import has no types.
import { listBundled } from '../../scripts/building/bundled-packages.mjs'

const bridge = path.join(import.meta.dirname, '../bridge.ts')

/**
 * The lab's page shares components with the station's window. They must not import the bridge, which a browser does not
 * have.
 */
const refuseBridge: Plugin = {
  name: 'refuse-bridge',
  load(id) {
    if (path.normalize(id) === bridge) this.error('the page of the server must not import renderer/bridge.ts')
  },
}

/** Bundles the page that the server shows at `/`. The server looks for the bundle beside its own program. */
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
    // The page's policy forbids data: URLs, and inlined assets would be such URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2_000,
  },
})
