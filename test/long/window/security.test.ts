import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type App, AppStation, electron, window } from '../../e2e/app.ts'
import { callFromPage } from '../../e2e/call-from-page.ts'
import { ownAgent } from '../../e2e/restarting-agent.ts'
import { linux, needs } from '../../support/needs.ts'
import { until } from '../../support/station.ts'

const KEY = 'svc_live_of_the_first_address'

const stopCodeOf = (page: Page): Promise<string> =>
  until('the station shows a problem', async () => {
    const status = await callFromPage(page, 'getStatus').catch(() => null)
    return status?.station.problem?.code
  })

/** A server that refuses every key. */
const startRefusingServer = async (station: AppStation) => {
  const receivedKeys: (string | undefined)[] = []
  const server = http.createServer(({ headers }, response) => {
    receivedKeys.push(headers.authorization)
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  station.closeAtEnd(async () => server.close())
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, receivedKeys }
}

describe('the app resists attacks', needs(window), () => {
  let station: AppStation
  beforeEach(() => {
    station = new AppStation()
  })
  afterEach(() => station.close())

  const settingsFor = (base_url: string) => ({
    service: { base_url },
    folders: [{ path: station.recordings, site: 'Hall 3', settle_seconds: 0 }],
  })
  it('a changed address does not get the key, and Sluice uses the key again with the old address', async () => {
    const [first, second] = [await startRefusingServer(station), await startRefusingServer(station)]
    writeFileSync(path.join(station.recordings, 'run.csv'), 'time,value\n0,1\n')
    station.writeSettings({
      ...settingsFor(first.baseUrl),
      service: { base_url: first.baseUrl, api_key: KEY },
    })
    const { page } = await station.startApp()
    expect(await stopCodeOf(page)).toBe('key-refused')
    expect(first.receivedKeys).toContain(`Bearer ${KEY}`)

    await callFromPage(page, 'saveSettings', settingsFor(second.baseUrl))
    await until('the key is missing', async () => (await stopCodeOf(page)) === 'key-missing')
    await expect(callFromPage(page, 'testKey', { baseUrl: second.baseUrl })).rejects.toThrow(
      'Enter the key for',
    )
    await callFromPage(page, 'saveSettings', settingsFor(first.baseUrl))
    await until(
      'the key of the old address is found again',
      async () => (await stopCodeOf(page)) === 'key-refused',
    )
    expect(second.receivedKeys).toEqual([])
  })

  it('a removed key is in no file and does not come back, even if it came from the settings file', async () => {
    const { baseUrl, receivedKeys } = await startRefusingServer(station)
    writeFileSync(path.join(station.recordings, 'run.csv'), 'time,value\n0,1\n')
    const { service, ...rest } = settingsFor(baseUrl)
    station.writeSettings({ ...rest, service: { ...service, api_key: KEY } })
    const first = await station.startApp()
    expect(await stopCodeOf(first.page)).toBe('key-refused')
    await callFromPage(first.page, 'forgetKey')
    await until('the key is removed', async () => (await stopCodeOf(first.page)) === 'key-missing')
    await first.quit()
    for (const entry of readdirSync(station.data, { withFileTypes: true }))
      if (entry.isFile())
        expect(readFileSync(path.join(station.data, entry.name)).includes(KEY), entry.name).toBe(false)
    await station.restartOutsideAgent()
    const before = receivedKeys.length
    const again = await station.startApp()
    expect(await stopCodeOf(again.page)).toBe('key-missing')
    expect(receivedKeys).toHaveLength(before)
  })

  // Only the app's own agent runs on the fallback Electron.
  it(
    'a fallback Electron uses no address beyond this PC, and the window shows why',
    needs(ownAgent),
    async () => {
      const outsideAddress = 'https://127.0.0.1.example'
      station.writeSettings({
        ...settingsFor(outsideAddress),
        service: { base_url: outsideAddress, api_key: KEY },
      })
      const { page } = await station.startApp({ env: { SLUICE_FALLBACK_ELECTRON: '1' } })
      await page.getByText('Sluice runs on a fallback Electron', { exact: false }).first().waitFor()
      expect(await stopCodeOf(page)).toBe('key-missing')
      await expect(callFromPage(page, 'testKey', { baseUrl: outsideAddress, apiKey: KEY })).rejects.toThrow(
        'fallback Electron',
      )
      expect(await callFromPage(page, 'saveSettings', settingsFor('https://other.example'))).toMatchObject({
        ok: false,
        issues: [{ path: 'service.base_url' }],
      })
    },
  )

  it('only the owner can read the files that the app writes', needs(electron, linux), async () => {
    const { child } = await station.startApp()
    expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(/^Umask:\s+0077$/m)
    expect(statSync(path.join(station.data, 'logs')).mode & 0o077).toBe(0)
  })

  it('at the start, the app makes files private that others could read', needs(electron, linux), async () => {
    station.writeSettings({})
    const oldReport = path.join(station.data, 'sluice-report-1.json')
    writeFileSync(oldReport, '{}')
    for (const file of [oldReport, path.join(station.data, 'settings.json')]) chmodSync(file, 0o644)
    chmodSync(station.data, 0o755)
    await station.startApp()
    for (const file of [station.data, oldReport, path.join(station.data, 'settings.json')])
      expect(statSync(file).mode & 0o077, file).toBe(0)
  })

  it(
    // This test needs the built-in sandbox, which the app runs only for its own agent.
    'the next start makes everything in the data folder private, including Chromium’s files',
    needs(electron, linux, ownAgent),
    async () => {
      const first = await station.startApp()
      await callFromPage(first.page, 'startSandbox')
      await callFromPage(first.page, 'saveSettings', settingsFor('http://127.0.0.1:1'))
      await first.quit()
      const listFiles = () =>
        ['', ...readdirSync(station.data, { recursive: true, encoding: 'utf8' })]
          .map((name) => path.join(station.data, name))
          .filter((file) => !(lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? true))
      for (const file of listFiles()) chmodSync(file, statSync(file).isDirectory() ? 0o755 : 0o644)
      const { page } = await station.startApp()
      await callFromPage(page, 'startSandbox')
      const readableByOthers = listFiles().filter(
        (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
      )
      expect(readableByOthers.map((file) => path.relative(station.data, file))).toEqual([])
    },
  )

  it('a rule that deletes files is saved only after the user agreed in a native dialog', async () => {
    const app = await station.startApp()
    const { folders, ...rest } = settingsFor('http://127.0.0.1:1')
    const withDeletion = {
      ...rest,
      folders: folders.map((folder) => ({ ...folder, after_upload: { action: 'delete', days: 0 } as const })),
    }
    const ruleNow = async () =>
      (await callFromPage(app.page, 'getSettings')).settings.folders[0]?.after_upload.action
    const readQuestions = await app.answerQuestions(false)
    await expect(callFromPage(app.page, 'saveSettings', withDeletion)).rejects.toThrow('Nothing was saved')
    expect(await readQuestions()).toEqual([expect.stringContaining(station.recordings)])
    expect(await ruleNow()).toBeUndefined()
    await app.answerQuestions(true)
    expect(await callFromPage(app.page, 'saveSettings', withDeletion)).toEqual({ ok: true })
    expect(await ruleNow()).toBe('delete')
  })
})

describe('the running app', needs(electron), () => {
  let station: AppStation
  let app: App
  beforeAll(async () => {
    station = new AppStation()
    app = await station.startApp()
  })
  afterAll(() => station.close())

  it('the main process loads no HTTP client', async () => {
    await app.page.getByRole('heading', { level: 1 }).waitFor()
    const loaded = await app.inMain(() => (process as unknown as { moduleLoadList: string[] }).moduleLoadList)
    expect(loaded.filter((name) => /undici|_http_client|http2/.test(name))).toEqual([])
  })

  it('the page cannot save a file', async () => {
    const { page, inMain } = app
    const downloads = await inMain(({ session }) => {
      const seen: { prevented: boolean }[] = []
      Object.assign(globalThis, { downloads: seen })
      session.defaultSession.on('will-download', (event, item) => {
        seen.push({ prevented: event.defaultPrevented })
        if (!event.defaultPrevented) item.cancel()
      })
      return seen
    })
    expect(downloads).toEqual([])
    await page.evaluate(() => {
      const href = URL.createObjectURL(new Blob(['MZ']))
      Object.assign(document.createElement('a'), { href, download: 'update.exe' }).click()
    })
    const readDownloads = () =>
      inMain(() => (globalThis as { downloads?: { prevented: boolean }[] }).downloads ?? [])
    await until('the download has started', async () => (await readDownloads()).length > 0)
    expect(await readDownloads()).toEqual([{ prevented: true }])
  })

  it('the page cannot open a new window, a different address or a frame', async () => {
    const { baseUrl, receivedKeys } = await startRefusingServer(station)
    const { page, inMain } = app
    const before = page.url()
    await inMain(({ shell }) => {
      shell.openExternal = async (address) => void Object.assign(globalThis, { opened: address })
    })
    await page.evaluate(() => globalThis.open('https://github.com/other/project'))
    expect(await page.evaluate((address) => globalThis.open(address) === null, baseUrl)).toBe(true)
    await page.evaluate((address) => {
      const link = Object.assign(document.createElement('a'), { href: address, target: '_top' })
      document.body.append(link)
      link.click()
      const frame = Object.assign(document.createElement('iframe'), { src: address })
      document.body.append(frame)
      globalThis.location.assign(address)
    }, baseUrl)
    // The page and the main process answer this call only after they have handled everything that the test started.
    expect(await callFromPage(page, 'getLicences')).toContainEqual(
      expect.objectContaining({ name: 'better-sqlite3' }),
    )
    expect(page.url()).toBe(before)
    expect(page.context().pages()).toHaveLength(1)
    expect(receivedKeys).toEqual([])
    expect(await inMain(() => (globalThis as { opened?: string }).opened ?? null)).toBeNull()
  })

  it('an invalid sluice:// address returns no file', async () => {
    const { page, inMain } = app
    await inMain(() => {
      process.on('uncaughtException', (error) => Object.assign(globalThis, { fault: String(error) }))
    })
    const [validResult, ...others] = await page.evaluate(
      (addresses) =>
        Promise.all(
          addresses.map(
            (src) =>
              new Promise<string>((resolve) => {
                const end = ({ type }: Event) => resolve(type)
                const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: src })
                link.addEventListener('load', end)
                link.addEventListener('error', end)
                document.head.append(link)
                setTimeout(() => resolve('no answer'), 5_000)
              }),
          ),
        ),
      [
        ...(await page.evaluate(() =>
          [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')]
            .slice(0, 1)
            .map(({ href }) => href),
        )),
        'sluice://app/%.css',
        'sluice://app/%E0%A4%A.css',
        'sluice://app/%00.css',
        'sluice://app/..%2f..%2fpackage.json',
        'sluice://app/assets',
        'sluice://other/index.css',
      ],
    )
    expect(validResult).toBe('load')
    expect(new Set(others)).toEqual(new Set(['error']))
    expect(await inMain(() => (globalThis as { fault?: string }).fault ?? null)).toBeNull()
  })

  it('the page gets no permission that it requests, and runs no foreign script', async () => {
    const { page } = app
    const granted = await page.evaluate(async () => ({
      notifications: await Notification.requestPermission(),
      geolocation: await new Promise((resolve) =>
        navigator.geolocation.getCurrentPosition(
          () => resolve('granted'),
          ({ code }) => resolve(code),
        ),
      ),
      // A request would fail on a PC without a camera, so the test only queries the permission.
      camera: (await navigator.permissions.query({ name: 'camera' })).state,
      clipboard: await navigator.clipboard.readText().then(
        () => 'granted',
        ({ name }) => name,
      ),
    }))
    const DENIED = 1
    expect(granted).toEqual({
      notifications: 'denied',
      geolocation: DENIED,
      camera: 'denied',
      clipboard: 'NotAllowedError',
    })

    // The page runs only code from its own files.
    const results = await page.evaluate(async () => {
      const add = (attributes: Partial<HTMLScriptElement>) =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
          const script = Object.assign(document.createElement('script'), attributes)
          script.onload = () => resolve('ran')
          script.onerror = () => resolve('not found')
          document.head.append(script)
          if (document.title === 'taken over') resolve('ran')
        })
      return {
        outside: await add({ src: 'sluice://app/..%2fmain/index.js' }),
        otherHost: await add({ src: 'sluice://other/index.html' }),
        inline: await add({ textContent: 'document.title = "taken over"' }),
      }
    })
    expect(results).toEqual({ outside: 'not found', otherHost: 'script-src-elem', inline: 'script-src-elem' })
  })
})
