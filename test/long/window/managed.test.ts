import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SettingsInput } from '../../../shared/settings/settings.ts'
import { AppStation, goTo, waitForState, window } from '../../e2e/app.ts'
import { needs } from '../../support/needs.ts'

/** Finds an unused port, so that the settings file can name it and the page can show it. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const NOTE = 'Set by your administrator'

describe('managed settings in the real app', needs(window), () => {
  let station: AppStation
  let managedFile: string
  beforeEach(() => {
    station = new AppStation()
    managedFile = path.join(station.folder('etc'), 'settings.json')
  })
  afterEach(() => station.close())

  /** Replaces the file atomically, as deployment tools do. */
  const rollOut = (content: unknown): void => {
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    writeFileSync(`${managedFile}.new`, text, { mode: 0o600 })
    renameSync(`${managedFile}.new`, managedFile)
  }

  const waitForNotes = (page: Page, count: number) =>
    page.waitForFunction(
      ([words, expectedCount]) =>
        [...document.querySelectorAll('.managed-note')].filter((note) => note.textContent?.includes(words))
          .length === expectedCount,
      [NOTE, count] as const,
    )
  const expectLocked = async (page: Page, label: string, value: string): Promise<void> => {
    const field = page.getByLabel(label, { exact: true })
    expect(await field.inputValue()).toBe(value)
    expect(await field.isDisabled()).toBe(true)
  }

  it('lock every field, follow changes of their file, survive an error in it, and leave the user’s own file alone', async () => {
    const sandbox = await station.startSandbox()
    const key = path.join(path.dirname(managedFile), 'key')
    writeFileSync(key, `${sandbox.keys.write}\n`, { mode: 0o600 })
    const initialSettings: SettingsInput = { app: { theme: 'light', station_name: 'mine' } }
    station.writeSettings(initialSettings)
    const everything = {
      $schema: './settings.schema.json',
      service: {
        base_url: sandbox.baseUrl,
        api_key_file: key,
        checksum_header: 'x-amz-checksum-sha256',
        proxy: 'none',
        upload_hosts: ['127.0.0.1'],
      },
      folders: [
        {
          path: station.recordings,
          site: 'Hall {folder}',
          device: 'arm',
          notes: 'by {stem}',
          include: ['**/*'],
          exclude: ['**/*.part'],
          recursive: true,
          ignore_existing: false,
          settle_seconds: 0,
          upload_duplicates: false,
          part_size_bytes: 8_388_608,
          after_upload: { action: 'keep' },
        },
      ],
      transfer: {
        parallel_recordings: 2,
        parallel_parts: 3,
        limit_mbit_per_s: 800,
        windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' }],
      },
      follow: { poll_seconds: 1 },
      webhooks: { receive: { address: '127.0.0.1', port: await freePort() } },
      monitoring: { heartbeat_seconds: 600, heartbeat_url: `${sandbox.baseUrl}/nobody` },
      app: {
        station_name: 'Station 7',
        theme: 'dark',
        start_at_login: false,
        keep_awake_while_uploading: false,
        notify_attention: false,
        notify_overnight_done: false,
        sound_on_deviation: false,
        quiet_hours: { from: '20:00', to: '08:00' },
      },
      updates: { mode: 'off' },
    }
    rollOut(everything)
    const { page } = await station.startApp({ args: ['--password-store=basic', '--managed', managedFile] })

    // The settings apply: the recording goes to the administrator's service, with the administrator's key and names.
    writeFileSync(path.join(station.recordings, 'take.csv'), 'time,value\n0,1\n')
    await goTo(page, 'Recordings')
    await waitForState(page, 'take.csv', 'Safe')
    const sessions = (await (await sandbox.api('/v1/sessions')).json()) as { data: Record<string, unknown>[] }
    expect(sessions.data[0]).toMatchObject({
      site: `Hall ${path.basename(station.recordings)}`,
      device: 'arm',
      notes: 'by take',
    })

    // The fields of every screen are locked.
    await goTo(page, 'Service & key')
    await page.getByText('the key from its managed settings', { exact: false }).waitFor()
    await waitForNotes(page, 3)
    await expectLocked(page, 'Service address', sandbox.baseUrl)
    await expectLocked(page, 'Port', String(everything.webhooks.receive.port))
    expect(await page.getByRole('button', { name: 'Save key' }).count()).toBe(0)
    await goTo(page, 'Folders')
    await waitForNotes(page, 1)
    for (const name of ['Watch another folder', 'Change…', 'Stop watching…'])
      expect(await page.getByRole('button', { name }).isDisabled()).toBe(true)
    await goTo(page, 'Transfer')
    await waitForNotes(page, 5)
    await expectLocked(page, 'Parallel recordings', '2')
    await expectLocked(page, 'Parallel parts', '3')
    await expectLocked(page, 'Speed limit', '800')
    await page.getByRole('radio', { name: 'As a list' }).click()
    await expectLocked(page, 'From', '00:00')
    expect(await page.getByRole('button', { name: 'Add upload hours' }).isDisabled()).toBe(true)
    expect(await page.getByRole('switch', { name: /Keep this PC awake/ }).isDisabled()).toBe(true)
    await goTo(page, 'Monitoring')
    await waitForNotes(page, 2)
    expect(await page.getByRole('button', { name: /Heartbeat interval/ }).isDisabled()).toBe(true)
    await goTo(page, 'General')
    await waitForNotes(page, 8)
    await expectLocked(page, 'Station name', 'Station 7')
    await expectLocked(page, 'Quiet from', '20:00')
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true)
    for (const radio of await page.getByRole('radio').all()) expect(await radio.isDisabled()).toBe(true)
    for (const toggle of await page.getByRole('switch').all()) expect(await toggle.isDisabled()).toBe(true)

    // The file changes while the app runs: fields that are no longer managed return to the user's own values.
    const { station_name: _name, ...app } = everything.app
    rollOut({ ...everything, app: { ...app, theme: 'light' } })
    await waitForNotes(page, 7)
    expect(await page.getByRole('radio', { name: 'Light' }).isChecked()).toBe(true)
    const name = page.getByLabel('Station name', { exact: true })
    expect(await name.inputValue()).toBe('mine')
    await name.fill('mine too')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('mine too', { exact: false }).first().waitFor()

    // The file is broken: the app reports the place of the error, and the last good settings stay in force.
    rollOut('{\n  "app": {"theme": "purple"}\n}')
    await goTo(page, 'Overview')
    await page.getByText('The managed settings cannot be used', { exact: false }).first().waitFor()
    await page.getByText('app.theme', { exact: false }).first().waitFor()
    writeFileSync(path.join(station.recordings, 'second.csv'), 'time,value\n0,2\n')
    await goTo(page, 'Recordings')
    await waitForState(page, 'second.csv', 'Safe')
    await goTo(page, 'Transfer')
    await expectLocked(page, 'Parallel parts', '3')

    // The file is fixed: the new settings apply, and the problem disappears.
    rollOut({ ...everything, transfer: { parallel_parts: 5 } })
    await waitForNotes(page, 2)
    await expectLocked(page, 'Parallel parts', '5')
    expect(await page.getByLabel('Parallel recordings', { exact: true }).isDisabled()).toBe(false)
    await goTo(page, 'Overview')
    await page
      .getByText('The managed settings cannot be used', { exact: false })
      .first()
      .waitFor({ state: 'detached' })

    const ownSettings = JSON.parse(readFileSync(path.join(station.data, 'settings.json'), 'utf8'))
    expect(ownSettings).toMatchObject({ app: { theme: 'light', station_name: 'mine too' }, folders: [] })
    expect(ownSettings).not.toHaveProperty('service')
    expect(ownSettings.transfer).toMatchObject({ parallel_recordings: 3, parallel_parts: 4, windows: [] })
    expect(await page.content()).not.toContain(sandbox.keys.write)
  })
})
