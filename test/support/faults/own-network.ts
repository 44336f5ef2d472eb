import { execFileSync } from 'node:child_process'

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: 'ignore' })

/** No network card has this address, so packets to it are lost. */
const NOWHERE = '02:00:00:00:00:99'

/** A virtual cable between this PC and a network namespace for an agent. */
export class OwnNetwork {
  readonly #name = `sluice-${process.pid}`
  readonly #wire = `slc${process.pid % 100_000}`
  readonly #net = `10.231.${process.pid % 250}`
  /** The address of this PC's end of the cable. */
  readonly here = `${this.#net}.1`
  readonly through = ['ip', 'netns', 'exec', this.#name]

  constructor() {
    ip('netns', 'add', this.#name)
    ip('link', 'add', this.#wire, 'type', 'veth', 'peer', 'name', 'wire', 'netns', this.#name)
    ip('addr', 'add', `${this.here}/30`, 'dev', this.#wire)
    ip('link', 'set', this.#wire, 'up')
    ip('-n', this.#name, 'addr', 'add', `${this.#net}.2/30`, 'dev', 'wire')
    ip('-n', this.#name, 'link', 'set', 'lo', 'up')
    ip('-n', this.#name, 'link', 'set', 'wire', 'up')
  }

  /** Redirects the packets of both directions to a missing network card. Neither side gets an error. */
  cut(): void {
    ip('-n', this.#name, 'neigh', 'replace', this.here, 'lladdr', NOWHERE, 'dev', 'wire', 'nud', 'permanent')
    ip('neigh', 'replace', `${this.#net}.2`, 'lladdr', NOWHERE, 'dev', this.#wire, 'nud', 'permanent')
  }

  join(): void {
    ip('-n', this.#name, 'neigh', 'del', this.here, 'dev', 'wire')
    ip('neigh', 'del', `${this.#net}.2`, 'dev', this.#wire)
  }

  close(): void {
    ip('netns', 'del', this.#name)
  }
}
