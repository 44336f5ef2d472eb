import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { callArgs, describePage } from '../../page/with-page.ts'

const REASON = 'Only the agent’s account or an administrator may do this'

const go = (page: Page, screen: string) =>
  page.getByRole('navigation').getByRole('button', { name: screen }).click()

/** Makes the user of the window a member of `control.group`, but not the owner of the agent. */
const becomeMember = (page: Page) =>
  page.evaluate(() =>
    window.scripted.setHealth({
      state: 'running',
      restarts: 0,
      attached: {
        version: '0.1.0',
        pid: 4711,
        account: 'sluice',
        host: 'service',
        dataFolder: '/var/lib/sluice',
        logFolder: '/var/lib/sluice/logs',
        settingsFile: '/var/lib/sluice/settings.json',
        startedAt: '2026-03-12T08:00:00.000Z',
        isMember: true,
      },
    }),
  )

describePage('the window of a member of control.group', (open) => {
  it('shows the settings of the owner as read-only, with the reason', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await becomeMember(page)
    await go(page, 'Service & key')
    for (const name of ['Service', 'Key', 'Endpoint at the service']) {
      const card = page.getByRole('region', { name, exact: true })
      await card.getByText(REASON).last().waitFor()
      for (const control of [
        ...(await card.getByRole('button').all()),
        ...(await card.getByRole('textbox').all()),
      ])
        expect(await control.isDisabled(), `${name}: ${await control.innerText()}`).toBe(true)
    }
    await go(page, 'Folders')
    await page.getByText(REASON).waitFor()
    expect(await page.getByRole('button', { name: 'Watch another folder' }).isDisabled()).toBe(true)
    await go(page, 'Monitoring')
    const alerts = page.getByRole('region', { name: 'Alerts' })
    await alerts.getByText(REASON).last().waitFor()
    expect(await alerts.getByLabel('Alert URL').isDisabled()).toBe(true)
    await go(page, 'About & diagnostics')
    await page.getByText(REASON).waitFor()
    expect(await page.getByRole('button', { name: 'Import settings…' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Export settings…' }).isDisabled()).toBe(false)
  })

  it('shows that only the owner may delete at the service', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await becomeMember(page)
    await go(page, 'Service sessions')
    await page.getByRole('button', { name: 'hall1_0000.mcap' }).click()
    await page.getByText(REASON).last().waitFor()
    expect(await page.getByRole('button', { name: 'Delete at the service…' }).isDisabled()).toBe(true)
  })

  it('can change the name of the station and save a receipt', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await becomeMember(page)
    await go(page, 'General')
    await page.getByLabel('Station name').fill('Hall 3 left')
    await page.getByRole('button', { name: 'Save name' }).click()
    await expect
      .poll(async () => (await callArgs(page, 'saveSettings')).at(-1))
      .toMatchObject({ app: { station_name: 'Hall 3 left' } })
    await go(page, 'About & diagnostics')
    await page.getByLabel('From', { exact: true }).fill('2026-03-01')
    await page.getByLabel('To', { exact: true }).fill('2026-03-12')
    await page.getByRole('button', { name: 'Save a receipt…' }).click()
    await expect.poll(() => callArgs(page, 'saveReceipt')).toHaveLength(1)
  })
})
