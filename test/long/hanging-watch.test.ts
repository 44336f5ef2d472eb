import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { canMountHangingDrive, HangingDrive } from '../support/hanging-drive.ts'
import { needs } from '../support/needs.ts'
import { Station, until } from '../support/station.ts'

let station: Station
afterEach(() => station.close())

test(
  'the watch of a folder on a hung share does not block the event loop, and starts when the share answers',
  needs(canMountHangingDrive),
  async () => {
    station = await Station.open()
    const share = await HangingDrive.mount(station)
    // Creates the folder behind the mount. Otherwise, the kernel would find it in its cache and not ask the share.
    mkdirSync(path.join(station.root, 'behind', 'night'))
    const night = path.join(share.folder, 'night')
    const script = path.join(import.meta.dirname, '../support/watch-share.ts')
    const child = spawn(process.execPath, [script, share.folder, night], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    station.onClose(async () => void child.kill('SIGKILL'))
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    await until('the process has started', () => output.includes('ready') || undefined)
    share.hang()
    child.stdin.write('watch\n')
    await until('the event loop of the process runs', () => output.includes('alive') || undefined)
    expect(output).not.toContain('watching')
    share.answer()
    await until('the folder is watched', () => output.includes('watching') || undefined)
    writeFileSync(path.join(night, 'take.bin'), 'a recording')
    await until(
      'an event reports the recording',
      () => output.includes(`hint ${path.join(night, 'take.bin')}`) || undefined,
    )
    expect(output).not.toContain('error')
  },
)
