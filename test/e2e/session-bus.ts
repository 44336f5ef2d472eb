import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { until } from '../support/station.ts'
import { type AppStation, endChild } from './app.ts'

/** The owner of the bus. All programs on the bus end with their owner. */
type Owner = Pick<AppStation, 'closeAtEnd' | 'folder'>
type ServedProgram = ChildProcessByStdio<Writable, Readable, null>

/** A private session bus, so that no other program uses its keychain or tray. */
export class SessionBus {
  readonly #station: Owner
  /** The environment of every program on this bus. */
  readonly env: Readonly<Record<string, string>>

  private constructor(station: Owner, address: string) {
    this.#station = station
    this.env = {
      DBUS_SESSION_BUS_ADDRESS: address,
      // Keyrings, sockets and login items go into these folders instead of the user's own.
      XDG_DATA_HOME: station.folder('xdg-data'),
      XDG_RUNTIME_DIR: station.folder('xdg-runtime'),
      XDG_CONFIG_HOME: station.folder('xdg-config'),
    }
  }

  static async start(station: Owner): Promise<SessionBus> {
    const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    station.closeAtEnd(() => endChild(daemon))
    const [address] = (await once(createInterface({ input: daemon.stdout }), 'line')) as [string]
    return new SessionBus(station, address)
  }

  /** Starts a program, writes `input` to it, and resolves once the program owns `name` on the bus. */
  async serve(
    name: string,
    program: string,
    args: readonly string[],
    input?: string,
  ): Promise<ServedProgram> {
    const env = { ...process.env, ...this.env }
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#station.closeAtEnd(() => endChild(child))
    if (input !== undefined) child.stdin.end(input)
    const dbusArgs = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/']
    const queryArgs = [...dbusArgs, 'org.freedesktop.DBus.NameHasOwner', `string:${name}`]
    await until(`${program} serves ${name}`, () =>
      spawnSync('dbus-send', queryArgs, { env, encoding: 'utf8' }).stdout.includes('boolean true'),
    )
    return child
  }
}
