import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { launchBrowser, openPage, openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import type { Scene } from './scripted/scene.ts'

export { browserPath } from '../support/browser.ts'

type Picture = {
  readonly name: string
  readonly scene: Scene
  readonly arrange?: (page: Page) => Promise<void>
}

const screen = (name: string) => (page: Page) => openScreen(page, name)

const recording = (id: number) => async (page: Page) => {
  await page.evaluate((to) => window.scripted.navigate(to), `recordings/${id}`)
  await page.getByRole('heading', { name: 'Stages' }).waitFor()
}

const pictures: readonly Picture[] = [
  { name: 'overview', scene: 'busy' },
  { name: 'overview-safe', scene: 'calm' },
  { name: 'overview-set-aside', scene: 'seen' },
  { name: 'overview-silent', scene: 'silent' },
  { name: 'overview-offline', scene: 'offline' },
  { name: 'overview-refused', scene: 'refused' },
  { name: 'overview-conditions', scene: 'conditions' },
  { name: 'recordings', scene: 'busy', arrange: screen('Recordings') },
  { name: 'recordings-empty', scene: 'empty', arrange: screen('Recordings') },
  { name: 'recording-uploading', scene: 'busy', arrange: recording(3) },
  { name: 'recording-failed', scene: 'busy', arrange: recording(14) },
  { name: 'recording-held', scene: 'busy', arrange: recording(11) },
  { name: 'recording-held-passing', scene: 'busy', arrange: recording(5) },
  {
    name: 'folder-refused',
    scene: 'busy',
    arrange: async (page) => {
      await recording(11)(page)
      await page.getByRole('button', { name: 'Correct the site' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'delete-dialog',
    scene: 'busy',
    arrange: async (page) => {
      await recording(15)(page)
      await page.getByRole('button', { name: 'Delete at the service…' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  { name: 'sessions', scene: 'busy', arrange: screen('Service sessions') },
  { name: 'folders', scene: 'offline', arrange: screen('Folders') },
  { name: 'folders-silent', scene: 'silent', arrange: screen('Folders') },
  {
    name: 'folder-dialog',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Watch another folder' }).click()
      await page.getByLabel('Folder', { exact: true }).fill('/mnt/nas-02/outdoor/day')
      await page.getByText('It lies inside').waitFor()
    },
  },
  {
    name: 'service',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Service & key')
      await page.getByLabel('Replace it with another key').fill('svc_test_write_0001')
      await page.getByText('Test key:').waitFor()
    },
  },
  { name: 'transfer', scene: 'busy', arrange: screen('Transfer') },
  { name: 'appearance', scene: 'busy', arrange: screen('Appearance') },
  {
    name: 'diagnostics',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'About')
      await page.getByText('Keychain').waitFor()
    },
  },
  {
    name: 'licences',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'About')
      await page.getByRole('button', { name: 'Show what Sluice is shipped with' }).click()
      await page.getByRole('dialog').getByText('better-sqlite3').click()
    },
  },
  {
    name: 'first-run',
    scene: 'first-run',
    arrange: async (page) => {
      await page.getByLabel('Address').fill('api.example.com/v1')
      await page.getByText('Start the address').waitFor()
    },
  },
]

const looks = [
  { suffix: 'light', theme: 'light', zoom: 1 },
  { suffix: 'dark', theme: 'dark', zoom: 1 },
  { suffix: '200', theme: 'light', zoom: 2 },
] as const

export const drawPictures = async (only: readonly string[]): Promise<void> => {
  const folder = path.join(import.meta.dirname, '../../docs/screenshots')
  await mkdir(folder, { recursive: true })
  const browser = await launchBrowser()
  try {
    for (const picture of pictures) {
      if (only.length > 0 && !only.includes(picture.name)) continue
      for (const look of looks) {
        const page = await openPage(browser, {
          scene: picture.scene,
          theme: look.theme,
          zoom: look.zoom,
          moving: false,
          at: MORNING,
        })
        await picture.arrange?.(page)
        // Whatever was asked for has been drawn once two frames have passed with no request open.
        await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 1_000 })))
        await page.mouse.move(0, 0)
        await writeFile(path.join(folder, `${picture.name}-${look.suffix}.png`), await page.screenshot())
        await page.context().close()
      }
      process.stdout.write(`${picture.name}\n`)
    }
  } finally {
    await browser.close()
  }
}
