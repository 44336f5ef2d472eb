// The agent loads this module before its own code. The module writes one line to a file for each attempted connection,
// including refused ones, which no server can count.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'

const file = process.env.COUNT_CONNECTS_FILE ?? ''

subscribe('net.client.socket', () => appendFileSync(file, `${Date.now()}\n`))
