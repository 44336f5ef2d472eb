// Loaded into the agent before its own code: one line for each connection it tries, also a refused one, which
// no server can count.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.COUNT_CONNECTS_FILE ?? ''

subscribe('net.client.socket', () => appendFileSync(file, `${Date.now()}\n`))
