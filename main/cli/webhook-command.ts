import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { systemClock } from '../../shared/clock/clock.ts'
import { eventTypes, type NewEndpoint, newEndpoint, stationEvents } from '../../shared/contract/webhooks.ts'
import { addEndpoint, addPendingRequest } from '../../shared/settings/webhook-book.ts'
import { registerWebhook } from '../agent/calls/register-webhook.ts'
import { connectService } from '../agent/station/service-connection.ts'
import { refuseIfMoved } from '../local-files/moved-station.ts'
import { restrictToOwner } from '../local-files/owner-only.ts'
import { openProgramLog } from '../program-log/program-log.ts'
import { defineCommand, settingsOptions } from './program/command.ts'
import type { CommandInput } from './program/command-input.ts'
import { NO_KEY_SENTENCE, stationSettings, warn } from './station-settings.ts'
import { printJson, printLine } from './terminal.ts'
import { readWebhooksFile, webhooksFile, writeWebhooksFile } from './webhooks-file.ts'

const REQUEST_TIMEOUT_MS = 20_000

type Input = CommandInput<'settings' | 'managed' | 'events'>

const endpointOf = (input: Input): NewEndpoint => {
  const url = input.operands[0] ?? ''
  const events = input.text('events') ?? stationEvents.join()
  const parsed = newEndpoint.safeParse({ url, events: events.split(',').map((event) => event.trim()) })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const subject = issue?.path[0] === 'url' ? `"${url}" cannot be registered` : `--events "${events}"`
  throw input.refuse(`${subject}: ${issue?.message ?? 'wrong'}.`)
}

/** Registers an endpoint (§4.7), prints its secret once, and stores the secret for the agent of this data folder. */
const addWebhook = async (input: Input): Promise<void> => {
  const { data, json } = input
  const endpoint = endpointOf(input)
  refuseIfMoved(data)
  const { settings, apiKey, keyProblem, warnings } = stationSettings(input)
  warn(warnings)
  if (apiKey === null) throw new Error(keyProblem ?? NO_KEY_SENTENCE)
  restrictToOwner(data)
  const { origin } = new URL(settings.service.base_url)
  // Store the idempotency key before the request. If the answer is lost, a second run of the command gets the same
  // secret (§4.7).
  const { book, key } = addPendingRequest(readWebhooksFile(data), {
    origin,
    endpoint,
    newKey: randomUUID(),
    now: new Date(),
  })
  writeWebhooksFile(data, book)
  const service = connectService(
    settings.service,
    apiKey,
    { kind: 'unknown' },
    {
      clock: systemClock,
      random: Math.random,
      log: openProgramLog(path.join(data, 'logs'), 'agent'),
    },
  )
  try {
    const answer = await registerWebhook(service, endpoint, key, AbortSignal.timeout(REQUEST_TIMEOUT_MS))
    if (!answer.ok) throw new Error(answer.sentence)
    const { id, secret } = answer
    writeWebhooksFile(data, addEndpoint(book, endpoint, { id, secret, now: new Date() }))
    if (json) {
      printJson({ id, ...endpoint, secret })
      return
    }
    printLine(`Registered ${endpoint.url} for ${endpoint.events.join(' and ')}.`)
    printLine(`Secret: ${secret}`)
    printLine(`Sluice shows the secret only once. The agent reads it from ${webhooksFile(data)}.`)
    if (settings.webhooks.receive === undefined)
      printLine('No events arrive yet: the settings have no port for them (webhooks.receive).')
  } finally {
    await service.close()
  }
}

export const webhookCommand = defineCommand({
  name: 'webhook',
  group: 'setup',
  summary: 'register a URL for the events of the service',
  about: [
    'Registers an endpoint and prints its secret once. The agent reads the secret from webhooks.json in the data folder. If the connection breaks, run the command again within 23 hours: the service then does not register the endpoint twice.',
  ],
  data: 'own',
  operands: [{ value: { kind: 'text', name: 'URL' }, summary: 'the URL of the endpoint', required: true }],
  options: {
    events: {
      value: { kind: 'text', name: 'LIST' },
      summary: `the event types, separated by commas (default: ${stationEvents.join()}); possible types: ${eventTypes.join(', ')}`,
    },
    ...settingsOptions,
  },
  json: 'id, url, events and secret.',
  exits: { 0: 'registered' },
  examples: ['sluice webhook https://hooks.example.com/webhooks'],
  run: async (input) => {
    await addWebhook(input)
    return 0
  },
})
