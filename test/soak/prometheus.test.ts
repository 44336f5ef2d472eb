import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Prometheus } from '../support/monitoring/prometheus.ts'
import { linux, needs, program } from '../support/needs.ts'
import { AgentProcess, Station, until } from '../support/station.ts'

const TOKEN = 'token-of-this-test-7f1c'
const RULES = path.join(import.meta.dirname, '../../docs/monitoring/sluice.rules.yml')
const NAMES = ['Lab 1', 'Lab 2', 'Lab 3'] as const

let station: Station
let prometheus: Prometheus | null = null
let agents: AgentProcess[] = []
beforeEach(async () => {
  station = await Station.open()
})
afterEach(async () => {
  await prometheus?.stop()
  await Promise.all(agents.map((agent) => agent.kill('SIGKILL')))
  agents = []
  await station.close()
})

type ScrapedStation = { readonly agent: AgentProcess; readonly recordings: string; readonly port: number }

const startAgent = async (name: string): Promise<ScrapedStation> => {
  const folder = path.join(station.root, name)
  const recordings = path.join(folder, 'recordings')
  mkdirSync(recordings, { recursive: true })
  const settings = path.join(folder, 'settings.json')
  const content = {
    service: { base_url: station.sandbox.baseUrl, api_key: station.sandbox.keys.write },
    folders: [{ path: recordings, site: name, settle_seconds: 0.3 }],
    follow: { poll_seconds: 0.2 },
    monitoring: { metrics: { port: 0, token: TOKEN } },
    app: { station_name: name },
  }
  writeFileSync(settings, JSON.stringify(content), { mode: 0o600 })
  const agent = new AgentProcess([
    'run',
    '--settings',
    settings,
    '--data',
    path.join(folder, 'data'),
    '--json',
  ])
  agents.push(agent)
  const port = await until(
    'the metrics endpoint listens',
    () => /Serving metrics at http:\S+:(\d+)\/metrics/.exec(agent.stderr)?.[1],
  )
  return { agent, recordings, port: Number(port) }
}

/** The shipped rules, with each waiting time shortened to one second. */
const shortenedRules = () => readFileSync(RULES, 'utf8').replace(/^( +for: ).*$/gm, '$11s')

test(
  'a real Prometheus scrapes three stations, and the shipped rules show which station needs attention or is missing',
  needs(linux, program('prometheus')),
  async () => {
    const scrapedStations = await Promise.all(NAMES.map(startAgent))
    const rules = path.join(station.root, 'sluice.rules.yml')
    writeFileSync(rules, shortenedRules())
    prometheus = await Prometheus.start(path.join(station.root, 'prometheus'), {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [
        {
          job_name: 'sluice',
          authorization: { credentials: TOKEN },
          static_configs: [{ targets: scrapedStations.map(({ port }) => `127.0.0.1:${port}`) }],
        },
      ],
    })
    const startedPrometheus = prometheus
    const waitForEach = (query: string, expected: number) =>
      until(`${query} is ${expected}`, async () => {
        const values = await startedPrometheus.query(query, 'station')
        return NAMES.every((name) => values[name] === expected)
      })
    await waitForEach('sluice_build_info', 1)
    for (const { recordings } of scrapedStations)
      writeFileSync(path.join(recordings, 'a.bin'), `at ${recordings}`)
    await waitForEach('sluice_recordings_processed_total', 1)
    await waitForEach('sum by (station) (sluice_backlog_files)', 0)
    const firingAlerts = async () =>
      (await startedPrometheus.alerts())
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => `${labels.alertname} ${labels.station ?? labels.instance}`)
    expect(await firingAlerts()).toEqual([])
    writeFileSync(path.join(scrapedStations[1]?.recordings ?? '', 'empty.bin'), '')
    await until('the alert of the station fires', async () =>
      (await firingAlerts()).includes('SluiceNeedsAttention Lab 2'),
    )
    await until('the alert for the technician fires', async () =>
      (await firingAlerts()).includes('SluiceRecordingsHeld Lab 2'),
    )
    expect((await firingAlerts()).filter((alert) => !alert.endsWith('Lab 2'))).toEqual([])
    await scrapedStations[2]?.agent.kill('SIGKILL')
    await until('the alert for the missing station fires', async () =>
      (await firingAlerts()).includes(`SluiceDown 127.0.0.1:${scrapedStations[2]?.port}`),
    )
    writeFileSync(path.join(scrapedStations[1]?.recordings ?? '', 'empty.bin'), 'written later')
    await until(
      'the alert of Lab 2 is resolved',
      async () => !(await firingAlerts()).some((alert) => alert.endsWith('Lab 2')),
    )
    expect(await firingAlerts()).toEqual([`SluiceDown 127.0.0.1:${scrapedStations[2]?.port}`])
  },
)
