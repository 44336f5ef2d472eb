import './platform/process/memory-and-threads.ts'
import './platform/process/process-defaults.ts'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DAMAGED_JOURNAL_EXIT, type FromAgent, type ToAgent } from '../../shared/ipc/agent-protocol.ts'
import { setLocale } from '../../shared/words/format.ts'
import { InstalledVersion } from '../local-files/installed-version.ts'
import { restrictToOwner } from '../local-files/owner-only.ts'
import { collectWhenIdle } from '../memory/collect-when-idle.ts'
import { openProgramLog } from '../program-log/program-log.ts'
import { Agent } from './assembly/agent.ts'
import { createAgentCalls } from './calls/agent-calls.ts'
import { ownVersion } from './platform/process/own-version.ts'
import { areRecordersInContainer } from './platform/process/recorders-in-container.ts'
import { type Endpoints, serveEndpoint } from './serve-endpoint.ts'
import { Publisher } from './status/publisher.ts'

/**
 * The app runs this file as a utility process of Electron. Electron provides `process.parentPort`, so the file need not
 * import Electron.
 */
type ParentPort = {
  readonly postMessage: (message: FromAgent) => void
  readonly on: (event: 'message', listener: (event: { readonly data: ToAgent }) => void) => void
}

const PUBLISH_INTERVAL_MS = 1_000

const { parentPort } = process as unknown as { readonly parentPort: ParentPort }
const { values } = parseArgs({
  options: { data: { type: 'string' }, log: { type: 'string' }, locale: { type: 'string' } },
})
if (values.locale !== undefined) setLocale(values.locale)
const dataFolder = values.data
if (dataFolder === undefined) throw new Error('the agent process needs --data')

const send = (message: FromAgent) => parentPort.postMessage(message)
// All logs of the app are in one folder, even if the agent uses its own data folder, as in the try-out.
const log = openProgramLog(path.join(values.log ?? dataFolder, 'logs'), 'agent')
for (const sentence of restrictToOwner(dataFolder)) log.warn(sentence)

const version = ownVersion()

const buildAgent = (): Agent => {
  try {
    return new Agent({
      dataFolder,
      log,
      version,
      // No `restart`, because the app restarts itself together with its agent.
      installed: new InstalledVersion(),
      recordersInContainer: areRecordersInContainer(process.env),
      onDamage: () => process.exit(DAMAGED_JOURNAL_EXIT),
    })
  } catch (error) {
    send({ kind: 'cannot-run', message: error instanceof Error ? error.message : String(error) })
    throw error
  }
}

const agent = buildAgent()
let isConfigured = false
const answer = createAgentCalls(agent, log)
let endpoints: Endpoints | null = null
const takeStatus = () => agent.guard('the status', () => agent.status())
const publisher = new Publisher(takeStatus, (status) => {
  send({ kind: 'status', status })
  endpoints?.pushStatus(status)
})
/**
 * Publishes nothing before the settings arrive. Otherwise the window would first show a configured station as not set
 * up.
 */
const publish = () => {
  if (isConfigured) publisher.changed()
}
agent.onChange(publish)
collectWhenIdle((listener) => agent.onChange(listener))
// Speed, progress and the end of a pause cause no change in the journal, so publish once a second as well.
const publishTimer = setInterval(publish, PUBLISH_INTERVAL_MS)

const shutDown = async () => {
  clearInterval(publishTimer)
  publisher.stop()
  await endpoints?.close()
  await agent.stop()
  process.exit(0)
}

parentPort.on('message', ({ data: message }) => {
  switch (message.kind) {
    case 'configure':
      isConfigured = true
      agent.configure(message).catch((error: unknown) => agent.reportError(error, 'new settings'))
      publish()
      return
    case 'call':
      void answer(message.name, message.args).then((result) =>
        send({ kind: 'answer', id: message.id, answer: result }),
      )
      return
    case 'reconnect':
      agent.reconnect(message.reason)
      return
    case 'ping':
      send({ kind: 'pong' })
      return
    case 'shutdown':
      void shutDown()
      return
  }
})

agent.start()
// The `sluice` commands on this PC reach the agent through this endpoint.
endpoints = await serveEndpoint({
  dataFolder: agent.dataFolder,
  logFolder: path.join(values.log ?? dataFolder, 'logs'),
  // `--log` names the data folder of the app, which contains the settings file.
  settingsFile: path.join(values.log ?? dataFolder, 'settings.json'),
  host: 'window',
  version: version ?? 'unknown',
  group: null,
  log,
  answer,
  answerStation: null,
  settings: () => null,
  status: takeStatus,
  reconnect: (reason) => agent.reconnect(reason),
})
send({ kind: 'ready' })
