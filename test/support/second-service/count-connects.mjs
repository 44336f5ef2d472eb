// Loaded into the agent before its own code: prints one line per attempted connection, including refused ones, which
// no server can count.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.COUNT_CONNECTS_FILE ?? ''

subscribe('net.client.socket', () => appendFileSync(file, `${Date.now()}\n`))
