import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLong } from '../support/runs.ts'
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
import { describePage } from './with-page.ts'

/** `axe` inside the page, after a test has injected its source. */
declare const axe: typeof import('axe-core')
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Scope = 'document' | 'front'

/**
 * The scope `front` is the open dialog or menu, or else the screen without the sidebar and the status bar. Returns no
 * passed checks, because listing them takes long.
 */
const violationsOf = (page: Page, scope: Scope, rules: RunOptions = {}): Promise<string[]> =>
  page.evaluate(
    async ({ scope, options }) => {
      const front = document.querySelector('[role=alertdialog], [role=dialog], [role=menu]')
      const root = scope === 'document' ? document : (front ?? document.querySelector('main') ?? document)
      const { violations } = await axe.run(root, options)
      return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
    },
    { scope, options: { ...rules, resultTypes: ['violations'] } satisfies RunOptions },
  )

type View = {
  readonly name: string
  readonly scene: Scene
  readonly rows?: number
  readonly panel?: true
  /** Set if the view saves something, because its notice would still be visible in the next view. */
  readonly needsOwnPage?: true
  readonly arrange?: (page: Page) => Promise<unknown>
}

const registerEndpoint = async (page: Page) => {
  await openScreen(page, 'Service & key')
  await page.getByText('Receive events on this PC').click()
  await page.getByLabel('URL that the service calls').fill('https://hooks.example.com/x')
  await page.getByRole('button', { name: 'Register endpoint' }).click()
  await page.getByRole('dialog').waitFor()
}

const allViews: readonly View[] = [
  { name: 'overview', scene: 'busy' },
  { name: 'overview with uploads that will not finish', scene: 'short-of-space' },
  { name: 'overview with a silent folder', scene: 'silent' },
  { name: 'folders with a silent folder', scene: 'silent', arrange: showScreen('Folders') },
  { name: 'overview while offline', scene: 'offline' },
  { name: 'overview with 1,000 problems', scene: 'refused' },
  { name: 'overview with several conditions', scene: 'conditions' },
  { name: 'recordings', scene: 'busy', arrange: showScreen('Recordings') },
  {
    name: 'recordings with all rows of the page selected',
    scene: 'many',
    rows: 5_000,
    arrange: async (page) => {
      await openScreen(page, 'Recordings')
      await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
      await page.getByRole('button', { name: 'Select all 5,000 that match' }).waitFor()
    },
  },
  { name: 'menu of a recording', scene: 'busy', arrange: showRecordingMenu },
  { name: 'keyboard shortcuts', scene: 'busy', arrange: showShortcuts },
  {
    name: 'consent to delete after the upload',
    scene: 'calm',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Change…' }).first().click()
      await page.getByText('Delete it', { exact: true }).click()
      await page.getByText('Which files').click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('alertdialog').getByText('Which files').click()
    },
  },
  { name: 'no recordings', scene: 'empty', arrange: showScreen('Recordings') },
  { name: 'recording in progress', scene: 'busy', arrange: showRecording(3) },
  { name: 'recording that failed', scene: 'busy', arrange: showRecording(14) },
  { name: 'recording on hold for a while', scene: 'busy', arrange: showRecording(5) },
  { name: 'recording that needs attention', scene: 'busy', arrange: showRecording(11) },
  { name: 'refused site', scene: 'busy', arrange: showRefusedSite },
  { name: 'delete dialog', scene: 'busy', arrange: showDeleteDialog },
  {
    name: 'service sessions',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Service sessions')
      await page.getByRole('button', { name: 'workshop_0002.mcap' }).click()
      await page.getByRole('heading', { name: 'For support' }).waitFor()
    },
  },
  { name: 'activity', scene: 'busy', arrange: showScreen('Activity') },
  { name: 'technical log', scene: 'busy', arrange: showTechnicalLog },
  { name: 'folders', scene: 'offline', arrange: showScreen('Folders') },
  {
    name: 'folder dialog',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Watch another folder' }).click()
      await page.getByText('Files and parts').click()
    },
  },
  { name: 'service and key', scene: 'busy', arrange: showScreen('Service & key') },
  {
    name: 'a receiver that listens, and the secret of an endpoint',
    scene: 'busy',
    needsOwnPage: true,
    arrange: registerEndpoint,
  },
  {
    name: 'registered endpoints',
    scene: 'busy',
    needsOwnPage: true,
    arrange: async (page) => {
      await registerEndpoint(page)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Remove secrets…' }).waitFor()
    },
  },
  { name: 'transfer', scene: 'busy', arrange: showScreen('Transfer') },
  {
    name: 'upload hours as a list',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Transfer')
      await page.getByRole('radio', { name: 'As a list' }).click()
    },
  },
  { name: 'monitoring', scene: 'busy', needsOwnPage: true, arrange: setUpMonitoring },
  { name: 'import of settings', scene: 'busy', arrange: showImportDialog },
  { name: 'general', scene: 'busy', arrange: showScreen('General') },
  { name: 'diagnostics', scene: 'busy', arrange: showScreen('About') },
  {
    name: 'licences',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'About')
      await page.getByRole('button', { name: 'Show third-party licences' }).click()
      await page.getByRole('dialog').getByText('better-sqlite3').click()
    },
  },
  {
    name: 'ignore dialog',
    scene: 'busy',
    arrange: async (page) => {
      await showRecordingMenu(page)
      await page.getByRole('menuitem', { name: 'Ignore files like this…' }).click()
      await page.getByRole('radio').first().waitFor()
    },
  },
  { name: 'panel', scene: 'busy', panel: true, needsOwnPage: true },
  { name: 'panel of a paused station', scene: 'paused', panel: true, needsOwnPage: true },
  { name: 'first run', scene: 'first-run' },
]

/** One view for each kind of screen. `npm test -- long` checks all views. */
const EVERY_RUN = new Set([
  'overview',
  'recordings',
  'recording that needs attention',
  'delete dialog',
  'folder dialog',
  'service and key',
  'transfer',
  'first run',
])
const views = isLong ? allViews : allViews.filter(({ name }) => EVERY_RUN.has(name))

/** The views of a scene share one page, so that the page loads and axe compiles only once. */
const viewGroups = [
  ...Map.groupBy(views, ({ scene, name, needsOwnPage }) => (needsOwnPage ? name : scene)).values(),
].map((group) => ({
  scene: group[0]!.scene,
  rows: group[0]!.rows,
  panel: group[0]!.panel ?? false,
  group,
  names: group.map(({ name }) => name).join('; '),
}))

/** Closes dialogs and menus of the previous view. */
const closeOverlays = async (page: Page): Promise<void> => {
  const overlay = page.getByRole('dialog').or(page.getByRole('alertdialog')).or(page.getByRole('menu'))
  if ((await overlay.count()) === 0) return
  await page.keyboard.press('Escape')
  await overlay.waitFor({ state: 'detached' })
}

/** Checks only the contrast, because the dark theme changes nothing but colours. */
const expectReadableInDark = async (page: Page, name: string): Promise<void> => {
  const readBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const lightColour = await readBackground()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect.soft(await readBackground(), name).not.toBe(lightColour)
  expect.soft(await violationsOf(page, 'document', { runOnly: ['color-contrast'] }), name).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
}

describePage('the page', (open) => {
  it.each(viewGroups)(
    'has no violations that axe can detect: $scene: $names',
    async ({ scene, rows, panel, group }) => {
      const page = await open({
        scene,
        panel,
        ...(rows === undefined ? {} : { rows }),
        moving: false,
        at: MORNING,
      })
      await page.evaluate(axeSource)
      for (const [index, { name, arrange, needsOwnPage }] of group.entries()) {
        await closeOverlays(page)
        await arrange?.(page)
        // The sidebar and the status bar are the same in each view of a scene, so a short run checks them once.
        const scope = isLong || (index === 0 && needsOwnPage === undefined) ? 'document' : 'front'
        expect.soft(await violationsOf(page, scope), name).toEqual([])
        if (isLong) await expectReadableInDark(page, name)
      }
    },
  )

  it('shows in the sidebar the number of folders that need attention', async () => {
    const page = await open({ scene: 'offline', moving: false })
    await page.getByRole('button', { name: 'Folders 1 needs attention' }).waitFor()
    const calmPage = await open({ scene: 'calm', moving: false })
    await calmPage.getByRole('button', { name: 'Folders', exact: true }).waitFor()
  })
})
