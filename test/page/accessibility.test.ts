import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import type { Scene } from './scripted/scene.ts'
import { describePage } from './with-page.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const violationsOf = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource)
  const results = (await page.evaluate('axe.run(document)')) as AxeResults
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`),
  )
}

type Place = {
  readonly name: string
  readonly scene: Scene
  readonly arrange?: (page: Page) => Promise<unknown>
}

const recording = (id: number) => async (page: Page) => {
  await page.evaluate((to) => window.scripted.navigate(to), `recordings/${id}`)
  await page.getByRole('heading', { name: 'Stages' }).waitFor()
}

const places: readonly Place[] = [
  { name: 'overview', scene: 'busy' },
  { name: 'overview while offline', scene: 'offline' },
  { name: 'overview with 10,000 problems', scene: 'refused' },
  { name: 'recordings', scene: 'busy', arrange: (page) => openScreen(page, 'Recordings') },
  { name: 'no recordings', scene: 'empty', arrange: (page) => openScreen(page, 'Recordings') },
  { name: 'recording under way', scene: 'busy', arrange: recording(3) },
  { name: 'recording that failed', scene: 'busy', arrange: recording(14) },
  {
    name: 'delete dialog',
    scene: 'busy',
    arrange: async (page) => {
      await recording(15)(page)
      await page.getByRole('button', { name: 'Delete at the service…' }).click()
      await page.getByRole('alertdialog').waitFor()
    },
  },
  {
    name: 'service sessions',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Service sessions')
      await page.getByRole('button', { name: 'hall1_0002.mcap' }).click()
      await page.getByRole('heading', { name: 'To quote' }).waitFor()
    },
  },
  { name: 'folders', scene: 'offline', arrange: (page) => openScreen(page, 'Folders') },
  {
    name: 'folder dialog',
    scene: 'busy',
    arrange: async (page) => {
      await openScreen(page, 'Folders')
      await page.getByRole('button', { name: 'Watch another folder' }).click()
      await page.getByText('Which files').click()
    },
  },
  { name: 'service and key', scene: 'busy', arrange: (page) => openScreen(page, 'Service & key') },
  { name: 'transfer', scene: 'busy', arrange: (page) => openScreen(page, 'Transfer') },
  { name: 'appearance', scene: 'busy', arrange: (page) => openScreen(page, 'Appearance') },
  { name: 'diagnostics', scene: 'busy', arrange: (page) => openScreen(page, 'About') },
  { name: 'first run', scene: 'first-run' },
]

describePage('accessibility', (open) => {
  it.each(places)('finds nothing to object to in either theme: $name', async ({ scene, arrange }) => {
    const page = await open({ scene, moving: false })
    await arrange?.(page)
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    expect(await violationsOf(page)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await background()).not.toBe(light)
    expect(await violationsOf(page)).toEqual([])
  })

  it('fits into a narrow window at 200% without scrolling sideways', async () => {
    const page = await open({ scene: 'busy', zoom: 2, moving: false })
    for (const name of [
      'Recordings',
      'Service sessions',
      'Folders',
      'Service & key',
      'Transfer',
      'Appearance',
      'About',
    ]) {
      await openScreen(page, name)
      const overflow = await page.evaluate(() => {
        const main = document.getElementById('main')
        return main === null ? 0 : main.scrollWidth - main.clientWidth
      })
      expect(overflow, name).toBe(0)
    }
  })
})
