import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { endWithRunner } from './child-end.ts'
import { linux, type Need, program, root } from './needs.ts'
import { type Station, until } from './station.ts'

const fuse: Need = () => (existsSync('/dev/fuse') ? null : 'FUSE')

export const canMountHangingDrive: Need = () => linux() ?? root() ?? fuse() ?? program('bindfs')()

/** A folder on a separate drive. A process serves this drive, and the drive hangs while the process is stopped. */
export class HangingDrive {
  readonly folder: string
  readonly #server: ChildProcess

  private constructor(folder: string, server: ChildProcess) {
    this.folder = folder
    this.#server = server
  }

  static async mount(station: Station): Promise<HangingDrive> {
    const source = path.join(station.root, 'behind')
    const folder = path.join(station.root, 'share')
    mkdirSync(source)
    mkdirSync(folder)
    const server = spawn('bindfs', ['-f', source, folder], { stdio: 'ignore' })
    endWithRunner(server)
    const drive = new HangingDrive(folder, server)
    station.onClose(async () => drive.#end())
    const isMounted = () =>
      execFileSync('cat', ['/proc/self/mounts'], { encoding: 'utf8' }).includes(` ${folder} `) || undefined
    await until('the drive is mounted', isMounted)
    return drive
  }

  hang(): void {
    this.#server.kill('SIGSTOP')
  }

  answer(): void {
    this.#server.kill('SIGCONT')
  }

  #end(): void {
    this.answer()
    execFileSync('umount', ['-l', this.folder])
    this.#server.kill('SIGKILL')
  }
}
