import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { createPageFixtures } from './browser/page-fixtures.ts'
import { PagePool } from './browser/page-pool.ts'
import { dragOver } from './drop.ts'
import { openScreen } from './harness.ts'
import { MORNING } from './morning.ts'
import type { Scene } from './scripted/scene.ts'
import { setUpMonitoring } from './set-up-monitoring.ts'
import {
  showDeleteDialog,
  showImportDialog,
  showRecording,
  showRecordingMenu,
  showRefusedSite,
  showScreen,
  showShortcuts,
  showTechnicalLog,
} from './views.ts'

export { pageBrowserPath } from '../support/browser.ts'

type Screenshot = {
  readonly name: string
  readonly scene: Scene
  readonly arrange?: (page: Page) => Promise<void>
}

const registerEndpoint = async (page: Page) => {
  const card = page.getByRole('region', { name: 'Endpoint at the service' })
  await card.getByLabel('URL that the service calls').fill('https://hooks.example.com/hall-3/webhooks')
  await card.getByRole('button', { name: 'Register endpoint' }).click()
  await page.getByRole('dialog').waitFor()
}

/** Registers an endpoint and turns on the receiver, so that the card shows received events. */
const showReceivedEvents = async (page: Page) => {
  await openScreen(page, 'Service & key')
  await registerEndpoint(page)
  await page.getByRole('button', { name: 'Done' }).click()
  const card = page.getByRole('region', { name: 'Events from the service' })
  await card.getByText('Receive events on this PC').click()
  await card.getByRole('button', { name: 'Save', exact: true }).click()
  await card.getByText('Last event', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await card.evaluate((element) => element.scrollIntoView())
}

const showAfterUpload = async (page: Page) => {
  await openScreen(page, 'Folders')
  await page.getByRole('button', { name: 'Change…' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Delete it', { exact: true }).click()
  await dialog.getByLabel('Delete earlier if free space drops below').fill('250')
  await dialog.getByText('would be deleted now', { exact: false }).waitFor()
  await dialog.getByText('After the upload').evaluate((element) => element.scrollIntoView())
}

const showTakes = async (page: Page) => {
  await page.evaluate(async () => {
    const folder = '/data/recordings/hall-3'
    await window.applyStationEvent({ kind: 'one-take', take: `${folder}/pick_0712`, ids: [3, 5, 12, 13] })
    await window.applyStationEvent({ kind: 'one-take', take: `${folder}/place_0711`, ids: [14, 15, 16] })
  })
  await openScreen(page, 'Recordings')
}

/** Recording 42 waits for a decision, because its front camera is black. The wrist camera of recording 41 has a gap. */
const showUnusualRecordings = async (page: Page) => {
  await page.evaluate(async () => {
    await window.applyStationEvent({
      kind: 'take-deviates',
      id: 42,
      deviations: ['/camera/front is black (usually not).'],
      isHeld: true,
    })
    await window.applyStationEvent({
      kind: 'take-deviates',
      id: 41,
      deviations: [
        '/camera/wrist has 15 Hz on average (usually 30 Hz).',
        '/camera/wrist has a gap of 5 min (usually 0.1 s).',
      ],
    })
    await window.scripted.changeStatus({})
  })
  await page.getByText('Check this recording', { exact: false }).first().waitFor()
}

const screenshots: readonly Screenshot[] = [
  { name: 'overview', scene: 'busy' },
  { name: 'overview-safe', scene: 'calm' },
  { name: 'overview-short-of-space', scene: 'short-of-space' },
  { name: 'overview-dismissed', scene: 'dismissed' },
  { name: 'overview-silent', scene: 'silent' },
  { name: 'overview-offline', scene: 'offline' },
  { name: 'overview-refused', scene: 'refused' },
  { name: 'overview-conditions', scene: 'conditions' },
  { name: 'overview-unusual', scene: 'calm', arrange: showUnusualRecordings },
  {
    name: 'recording-unusual',
    scene: 'calm',
    arrange: async (page) => {
      await showUnusualRecordings(page)
      await showRecording(41)(page)
      await page.getByRole('heading', { name: 'In the file' }).evaluate((element) => element.scrollIntoView())
    },
  },
  {
    name: 'folder-expectation',
    scene: 'calm',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Change…' }).first().click()
      const dialog = page.getByRole('dialog')
      const summary = dialog.getByText('Expected content')
      await summary.click()
      await dialog.getByRole('button', { name: 'Learn from the last recordings' }).click()
      await dialog.getByText(/^Learned from the last/).waitFor()
      await summary.evaluate((element) => element.scrollIntoView())
    },
  },
  { name: 'recordings', scene: 'busy', arrange: showScreen('Recordings') },
  { name: 'recordings-menu', scene: 'busy', arrange: showRecordingMenu },
  {
    name: 'recordings-take',
    scene: 'busy',
    arrange: async (page) => {
      await showTakes(page)
      await page.getByText('pick_0712').first().click()
      await page.getByRole('heading', { name: 'Files' }).waitFor()
    },
  },
  {
    name: 'recordings-selected',
    scene: 'many',
    arrange: async (page) => {
      await openScreen(page, 'Recordings')
      await page.getByRole('grid').press('Control+a')
      await page.getByText('on this page').waitFor()
    },
  },
  { name: 'keys', scene: 'busy', arrange: showShortcuts },
  { name: 'recordings-empty', scene: 'empty', arrange: showScreen('Recordings') },
  { name: 'recording-uploading', scene: 'busy', arrange: showRecording(3) },
  { name: 'recording-failed', scene: 'busy', arrange: showRecording(14) },
  { name: 'recording-held', scene: 'busy', arrange: showRecording(11) },
  { name: 'recording-held-temporary', scene: 'busy', arrange: showRecording(5) },
  { name: 'folder-refused', scene: 'busy', arrange: showRefusedSite },
  { name: 'delete-dialog', scene: 'busy', arrange: showDeleteDialog },
  { name: 'sessions', scene: 'busy', arrange: showScreen('Service sessions') },
  { name: 'activity', scene: 'busy', arrange: showScreen('Activity') },
  { name: 'program-log', scene: 'busy', arrange: showTechnicalLog },
  { name: 'folders', scene: 'offline', arrange: showScreen('Folders') },
  { name: 'folders-silent', scene: 'silent', arrange: showScreen('Folders') },
  {
    name: 'folder-dialog',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Watch another folder' }).click()
      await page.getByLabel('Folder', { exact: true }).fill('/mnt/nas-02/outdoor/day')
      await page.getByText('It is inside').waitFor()
    },
  },
  {
    name: 'folder-takes',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Watch another folder' }).click()
      await page.getByLabel('Folder', { exact: true }).fill('/data/bags')
      await page.getByText('looks like one rosbag2 recording').scrollIntoViewIfNeeded()
    },
  },
  { name: 'folder-after-upload', scene: 'calm', arrange: showAfterUpload },
  {
    name: 'folder-deletion',
    scene: 'calm',
    arrange: async (page) => {
      await showAfterUpload(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alertdialog').getByText('would be deleted now', { exact: false }).waitFor()
    },
  },
  {
    name: 'recording-removed',
    scene: 'calm',
    arrange: async (page) => {
      await page.evaluate(async () => {
        await window.applyStationEvent({ kind: 'removed', id: 40, movedTo: null })
        await window.applyStationEvent({
          kind: 'removed',
          id: 42,
          movedTo: '/data/archive/hall-3/rig-a/0312.mcap',
        })
      })
      await showRecording(40)(page)
    },
  },
  { name: 'folder-drop', scene: 'busy', arrange: async (page) => void (await dragOver(page, [tmpdir()])) },
  {
    name: 'service',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Service & key')
      await page.getByLabel('New key').fill('svc_test_write_0001')
      const verdict = page.getByText('Test key:')
      await verdict.waitFor()
      await verdict.scrollIntoViewIfNeeded()
    },
  },
  { name: 'events', scene: 'busy', arrange: showReceivedEvents },
  {
    name: 'events-secret',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Service & key')
      await registerEndpoint(page)
    },
  },
  { name: 'monitoring', scene: 'busy', arrange: setUpMonitoring },
  {
    name: 'transfer',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Transfer')
      // Closes Saturday and Sunday from 09:00 to the end of the day.
      await page.getByRole('radio', { name: 'Closed' }).click()
      const firstHour = page.getByRole('gridcell', { name: 'Saturday 09:00' })
      await firstHour.focus()
      for (const key of ['Shift+ArrowDown', 'Shift+End', 'Space']) await page.keyboard.press(key)
      await page.getByRole('grid').scrollIntoViewIfNeeded()
      await page.getByRole('heading', { name: 'Upload hours' }).evaluate((element) => {
        if (window.innerHeight < 500) element.scrollIntoView()
      })
    },
  },
  { name: 'settings-import', scene: 'busy', arrange: showImportDialog },
  { name: 'general', scene: 'busy', arrange: showScreen('General') },
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
      await page.getByRole('button', { name: 'Show third-party licences' }).click()
      const entry = page.getByRole('dialog').getByText('better-sqlite3', { exact: true })
      await entry.click()
      await entry.evaluate((element) => {
        if (window.innerHeight < 500) element.closest('li')?.scrollIntoView()
      })
    },
  },
  {
    name: 'first-run-site',
    scene: 'first-run',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Try the sandbox' }).click()
      await page.getByLabel('Folder', { exact: true }).fill('/data/recordings/hall-3')
      await page.getByText('Folder OK', { exact: false }).waitFor()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Site').fill('Hall 3')
      await page.getByText('New site', { exact: false }).waitFor()
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

export const takeScreenshots = async (onlyNames: readonly string[]): Promise<void> => {
  const folder = path.join(import.meta.dirname, '../../docs/screenshots')
  await mkdir(folder, { recursive: true })
  const { fixtures, remove } = await createPageFixtures()
  const pool = await PagePool.open(fixtures)
  try {
    for (const screenshot of screenshots) {
      if (onlyNames.length > 0 && !onlyNames.includes(screenshot.name)) continue
      for (const look of looks) {
        const page = await pool.openPage({
          scene: screenshot.scene,
          theme: look.theme,
          zoom: look.zoom,
          moving: false,
          at: MORNING,
        })
        await screenshot.arrange?.(page)
        // When the page is idle, everything is rendered.
        await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 1_000 })))
        await page.mouse.move(0, 0)
        await writeFile(path.join(folder, `${screenshot.name}-${look.suffix}.png`), await page.screenshot())
        await pool.release(page)
      }
      process.stdout.write(`${screenshot.name}\n`)
    }
  } finally {
    await pool.close()
    remove()
  }
}
