import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const module = path.resolve(import.meta.dirname, '../../main/agent/platform/log.ts')

test('the log is written wherever the agent was started from, without keys and signed queries', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-log-'))
  try {
    const script = `
      const { createLog } = await import(${JSON.stringify(module)})
      createLog(${JSON.stringify(folder)}).warn('hello', {
        key: 'svc_test_0123456789', url: 'https://storage.example/a/1?X-Signature=abc'
      })`
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    const text = readFileSync(path.join(folder, 'logs', 'agent.log'), 'utf8')
    expect(text).toMatch(/warn hello/)
    expect(text).not.toMatch(/0123456789|X-Signature/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
