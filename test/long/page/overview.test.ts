import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isInSight } from '../../page/harness.ts'
import { MORNING } from '../../page/morning.ts'
import type { Scene } from '../../page/scripted/scene.ts'
import { describePage } from '../../page/with-page.ts'

const cards = (page: Page): Locator => page.getByRole('article')

describePage('the overview', (open) => {
  it.each<Scene>(['busy', 'offline', 'conditions', 'silent', 'refused', 'keyless', 'short-of-space'])(
    'at 900 × 600 shows the first card of “%s” without scrolling',
    async (scene) => {
      const page = await open({ scene, moving: false, at: MORNING, width: 900, height: 600 })
      await expect.poll(() => isInSight(cards(page).first())).toBe(true)
    },
  )

  it('shortens a long name in its middle', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING, width: 900, height: 600 })
    const name = page.locator('.now-row').filter({ hasText: 'calibration' }).locator('.truncated-name')
    const [isStartCut, isEndCut] = await Promise.all([
      name.locator('.truncated-name-start').evaluate((part) => part.scrollWidth > part.clientWidth),
      name.locator('.truncated-name-end').evaluate((part) => part.scrollWidth > part.clientWidth),
    ])
    expect({ isStartCut, isEndCut }).toEqual({ isStartCut: true, isEndCut: false })
  })

  it('counts small uploads in one line, because “Parallel recordings” does not limit them', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(() => {
      const upload = { percent: 1, bytesLeft: 1_000, bytesPerSecond: null, secondsLeft: null }
      const uploads = Array.from({ length: 6 }, (_, id) => ({
        ...upload,
        id,
        name: `${id}.csv`,
        isSmall: id > 0,
      }))
      return window.scripted.changeStatus({
        transfer: {
          bytesPerSecond: 26_500_000,
          bytesLeft: 22_800_000_000,
          uploads,
          waiting: 0,
          processing: 0,
        },
      })
    })
    const now = page.getByRole('region', { name: 'Now' })
    await now.getByText('5 small recordings uploading too').waitFor()
    expect(await now.getByRole('listitem').count()).toBe(1)
    await now.getByText('26.5 MB/s · 22.8 GB left').waitFor()
  })

  it.each<[Scene, string]>([
    ['paused', 'Paused by you'],
    ['offline', 'Service unreachable'],
    ['keyless', 'Key missing'],
  ])('in “%s”, shows how many recordings wait, and why, but no list of uploads', async (scene, reason) => {
    const page = await open({ scene, moving: false, at: MORNING })
    const waiting = page.getByRole('region', { name: 'Waiting' })
    await waiting.getByText('7 recordings · 3 being processed at the service', { exact: true }).waitFor()
    expect(((await waiting.textContent()) ?? '').split(reason)).toHaveLength(2)
    expect(await waiting.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Now' }).count()).toBe(0)
  })

  it.each([900, 720])(
    'at a width of %i px, shows that the user paused, since when, and one button to resume',
    async (width) => {
      const page = await open({ scene: 'paused', moving: false, at: MORNING, width, height: 600 })
      await page.getByRole('heading', { name: 'Paused by you, nothing uploads' }).waitFor()
      await page.locator('.headline').getByText('Since yesterday 19:42, until you resume').waitFor()
      expect(await page.locator('.statusbar').textContent()).not.toContain('onnect')
      const resumeButton = page.getByRole('button', { name: 'Resume' })
      expect(await resumeButton.count()).toBe(1)
      expect(await isInSight(resumeButton)).toBe(true)
      await resumeButton.press('Enter')
      await page.getByRole('button', { name: 'Pause uploads' }).waitFor()
    },
  )

  it('shows no solid green in the night bar while someone has to act', async () => {
    const colourOf = (page: Page, selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((part) => getComputedStyle(part).backgroundColor)
    const calmPage = await open({ scene: 'calm', moving: false, at: MORNING })
    const solidGreen = await colourOf(calmPage, '.night-bar .night-safe')
    for (const scene of ['offline', 'keyless', 'busy'] as const) {
      const page = await open({ scene, moving: false, at: MORNING })
      await cards(page).first().waitFor()
      for (const place of ['.night-bar', '.night-parts'])
        expect(await colourOf(page, `${place} .night-safe`), `${scene} ${place}`).not.toBe(solidGreen)
    }
    const pausedPage = await open({ scene: 'paused', moving: false, at: MORNING })
    expect(await colourOf(pausedPage, '.night-bar .night-safe')).toBe(solidGreen)
  })

  it('shows that the recordings of a missing folder are not checked', async () => {
    const page = await open({ scene: 'offline', moving: false, at: MORNING })
    await page.locator('.night-bar .night-unchecked').waitFor()
    await page.evaluate(() =>
      window.scripted.changeStatus({
        forecast: { kind: 'nothing' },
        transfer: { bytesPerSecond: null, bytesLeft: 0, uploads: [], waiting: 0, processing: 0 },
      }),
    )
    const timeLeft = page.getByRole('region', { name: 'Time left' })
    await timeLeft.getByText('Nothing uploading', { exact: true }).waitFor()
    await timeLeft.getByText('outdoor not checked.', { exact: true }).waitFor()
    expect(await page.locator('.statusbar').textContent()).toContain('Nothing uploading')
    await page.getByRole('button', { name: 'outdoor not checked' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Folders' }).waitFor()
  })

  it('draws recordings that are not yet uploaded in the colour of an empty bar', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    const colourOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((part) => getComputedStyle(part).backgroundColor)
    const emptyColour = await colourOf('.now-row .progress')
    expect(await colourOf('.night-bar .night-here')).toBe(emptyColour)
    expect(await colourOf('.night-parts .night-here')).toBe(emptyColour)
  })

  it('shows dots only between the facts on a line below the headline', async () => {
    const page = await open({ scene: 'offline', moving: false, at: MORNING, width: 720, height: 450 })
    const { lines, facts, visibleDots } = await page.locator('.fact-line').evaluate((line) => {
      const tops = [...line.querySelectorAll('.fact-item')].map((fact) => fact.getBoundingClientRect().top)
      const startX = line.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(line).fontSize)
      const dots = [...line.querySelectorAll('.fact-dot')].map((dot) => dot.getBoundingClientRect())
      return {
        lines: new Set(tops).size,
        facts: tops.length,
        visibleDots: dots.filter(({ right }) => right > startX + 1).length,
      }
    })
    expect(lines).toBeGreaterThan(1)
    expect(visibleDots).toBe(facts - lines)
  })

  it('shows a filled button on one card only: the first card for the technician', async () => {
    const filledButtonTexts = (page: Page) => cards(page).locator('.button-primary').allTextContents()
    const page = await open({ scene: 'offline', moving: false, at: MORNING })
    await expect.poll(() => filledButtonTexts(page)).toEqual(['Choose the folder again'])
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const { station } = answer.value
      const [condition] = station.conditions
      if (condition === undefined) throw new Error('the scene has no condition')
      const key = {
        ...condition,
        code: 'key-missing' as const,
        owner: 'admin' as const,
        endsBy: 'key' as const,
      }
      await window.scripted.changeStatus({ station: { ...station, conditions: [key] } })
    })
    await cards(page).getByRole('button', { name: 'Add the key' }).waitFor()
    expect(await filledButtonTexts(page)).toEqual(['Choose the folder again'])
    const keylessPage = await open({ scene: 'keyless', moving: false, at: MORNING })
    await cards(keylessPage).getByRole('button', { name: 'Add the key' }).waitFor()
    expect(await filledButtonTexts(keylessPage)).toEqual([])
  })

  it('shows “Finishing” for a file that is no longer being written', async () => {
    const page = await open({ scene: 'busy', moving: false, at: MORNING })
    await page.evaluate(async () => {
      const answer = await window.sluice.call.getStatus()
      if (!answer.ok) throw new Error(answer.error.message)
      const [row] = answer.value.recent
      if (row === undefined) throw new Error('the scene has no recording')
      const settlesAt = new Date(Date.now() + 6_000).toISOString()
      await window.scripted.changeStatus({
        recent: [{ ...row, state: 'growing', standing: 'recording', problem: null, settlesAt }],
      })
    })
    await page.getByText(/^Finishing, \d s$/).waitFor()
    expect(await page.getByText(/still being written/i).count()).toBe(0)
  })
})
