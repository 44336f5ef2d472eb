import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './platform-support.ts'

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

test.each(['main/agent/platform/log.ts', 'main/shell/system/log.ts'])(
  '%s opens no channel to the page and asks nothing of Electron',
  (file) => {
    const folder = temporaryFolder()
    const script = `
      import Module from 'node:module'
      const asked = []
      const channels = { on: (name) => asked.push(name), handle: (name) => asked.push(name) }
      const load = Module._load
      Module._load = (name, ...rest) => {
        if (name !== 'electron') return load(name, ...rest)
        asked.push(name)
        return { ipcMain: channels, app: { on: () => {}, isReady: () => true, whenReady: async () => {} } }
      }
      const made = await import(${JSON.stringify(path.resolve(import.meta.dirname, '../..', file))})
      const { default: electronLog } = await import('electron-log/node')
      if (made.createLog) made.createLog(${JSON.stringify(folder)}).info('hello')
      else made.openLog(${JSON.stringify(path.join(folder, 'logs'))})('hello')
      const own = ['agent', 'shell'].map((logId) => electronLog.Logger.instances[logId]).filter(Boolean)
      const open = own.flatMap(({ transports }) =>
        Object.keys(transports).filter((name) => transports[name] && transports[name].level !== false))
      console.log(JSON.stringify({ asked, open }))`
    const options = { cwd: path.resolve(import.meta.dirname, '../..'), encoding: 'utf8' } as const
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], options)
    expect(JSON.parse(told)).toEqual({ asked: [], open: ['file'] })
  },
)
