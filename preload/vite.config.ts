import { defineConfig } from 'vite'

/** A sandboxed preload is one CommonJS file without a module loader, so it is bundled. */
export default defineConfig({
  root: 'preload',
  build: {
    outDir: '../out/preload',
    emptyOutDir: true,
    target: 'chrome140',
    minify: false,
    lib: { entry: 'index.ts', formats: ['cjs'], fileName: () => 'index.cjs' },
    rolldownOptions: { external: ['electron'] },
  },
})
