import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { asking, registered } from '../../../shared/webhook-book.ts'
import type { NewEndpoint } from '../../../shared/webhooks.ts'
import { keepToOwner } from '../../owner-only.ts'
import { openProgramLog } from '../../program-log/program-log.ts'
import { registerWebhook } from '../calls/register-webhook.ts'
import { systemClock } from '../platform/system-clock.ts'
import { connectService } from '../running/service-connection.ts'
import { readSettings } from './settings-file.ts'
import { printJson, printLine } from './terminal.ts'
import { readWebhooksFile, webhooksFile, writeWebhooksFile } from './webhooks-file.ts'

const REQUEST_LIMIT_MS = 20_000

export type WebhookOptions = {
  readonly settings: string
  readonly data: string
  readonly endpoint: NewEndpoint
  readonly json: boolean
}

/** Registers an endpoint (§4.7). Its secret is printed this once, and kept for the agent of this data folder. */
export const addWebhook = async ({ settings: file, data, endpoint, json }: WebhookOptions): Promise<void> => {
  const { settings, apiKey } = readSettings(file, process.env)
  if (apiKey === null)
    throw new Error('The API key is missing: give it as SLUICE_API_KEY or in the settings (service.api_key).')
  keepToOwner(data)
  const { origin } = new URL(settings.service.base_url)
  // Before the request: cut off, the same command asks with the same key, and is told the same secret.
  const { book, key } = asking(readWebhooksFile(data), {
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
    const answer = await registerWebhook(service, endpoint, key, AbortSignal.timeout(REQUEST_LIMIT_MS))
    if (!answer.ok) throw new Error(answer.sentence)
    const { id, secret } = answer
    writeWebhooksFile(data, registered(book, endpoint, { id, secret, now: new Date() }))
    if (json) {
      printJson({ id, ...endpoint, secret })
      return
    }
    printLine(`Registered ${endpoint.url} for ${endpoint.events.join(' and ')}.`)
    printLine(`Secret: ${secret}`)
    printLine(`It is shown this once, and kept in ${webhooksFile(data)} for the agent that runs there.`)
    if (settings.webhooks.receive === undefined)
      printLine('The settings name no port to receive events at (webhooks.receive), so nobody listens yet.')
  } finally {
    await service.close()
  }
}
