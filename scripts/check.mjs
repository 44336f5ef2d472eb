import path from 'node:path'
import { capture } from './launcher/child.mjs'
import { command } from './launcher/command.mjs'
import { ROOT, toolScript } from './launcher/project.mjs'

const TSC = toolScript('typescript/bin/tsc')

/** @type {readonly { name: string, run: () => Promise<string | null> }[]} run returns the errors, or null */
const STEPS = [
  {
    name: 'format and lint',
    run: tool(toolScript('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings'),
  },
  { name: 'imports', run: checkImports },
  { name: 'types: main, preload, server, sandbox', run: tool(TSC) },
  { name: 'types: page', run: tool(TSC, '-p', 'renderer') },
  { name: 'types: tests and scripts', run: tool(TSC, '-p', 'test') },
  { name: 'unused code', run: tool(toolScript('knip/bin/knip.js'), '--no-progress') },
  {
    name: 'generated pages',
    run: tool(path.join(ROOT, 'scripts/run-node.mjs'), 'scripts/docs/main.ts', '--check'),
  },
]

await command({ usage: 'npm run check' }, async () => {
  let failed = 0
  for (const { name, run } of STEPS) {
    const startedAt = performance.now()
    const errors = await run()
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${errors === null ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`)
    if (errors === null) continue
    failed += 1
    process.stdout.write(`${errors.trimEnd()}\n`)
  }
  return failed === 0 ? 0 : 1
})

/** Imports lazily, so that `command` can report missing npm packages first. */
async function checkImports() {
  const { importViolations } = await import('./imports/import-violations.mjs')
  return (await importViolations(ROOT)).join('\n') || null
}

/**
 * Returns a `run` that runs a script on the system's Node.
 *
 * @param {string} script
 * @param {string[]} args
 */
function tool(script, ...args) {
  return async () => {
    const { code, output } = await capture(process.execPath, [script, ...args], { cwd: ROOT })
    return code === 0 ? null : output
  }
}
