import { expect, it } from 'vitest'
import { openScreen } from '../../page/harness.ts'
import { TEST_SECRET } from '../../page/scripted/webhooks.ts'
import { callArgs, describePage } from '../../page/with-page.ts'

const ENDPOINT_URL = 'https://hooks.example.com/webhooks'

describePage('the cards for events from the service', (open) => {
  it('show no address by default; after the user turns events on, they show where the station listens', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    const card = page.getByRole('region', { name: 'Events from the service' })
    expect(await card.getByText('Listening at').count()).toBe(0)
    await card.getByText('Receive events on this PC').click()
    await card.getByLabel('Port').fill('99999')
    await card.getByText('Use 65535 or less.', { exact: false }).waitFor()
    await card.getByLabel('Port').fill('8787')
    await card.getByLabel('Listen at this address').fill('hooks.example.com')
    await card.getByText('Use an address of this PC', { exact: false }).waitFor()
    expect(await card.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await card.getByLabel('Listen at this address').fill('127.0.0.1')
    await card.getByRole('button', { name: 'Save', exact: true }).click()
    await card.getByText('Listening at http://127.0.0.1:8787/webhooks. No events yet.').waitFor()
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({
      webhooks: { receive: { address: '127.0.0.1', port: 8787 } },
    })
  })

  it('register an endpoint by keyboard, and show the secret only once', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    const card = page.getByRole('region', { name: 'Endpoint at the service' })
    const registerButton = card.getByRole('button', { name: 'Register endpoint' })
    const field = card.getByLabel('URL that the service calls')
    await field.focus()
    for (const [typed, words] of [
      ['hooks.example.com', 'Start the URL with https://'],
      ['http://hooks.example.com/', 'Use https://'],
      ['https://user:pw@hooks.example.com/', 'Leave user name and password out.'],
    ] as const) {
      await field.fill(typed)
      await card.getByText(words, { exact: false }).waitFor()
      expect(await registerButton.isDisabled()).toBe(true)
    }
    await field.fill('')
    await page.keyboard.type(ENDPOINT_URL)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    // Turns the second event off and the third on.
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'The endpoint is registered' })
    await dialog.getByText(TEST_SECRET).waitFor()
    expect(await callArgs(page, 'registerWebhook')).toEqual([
      { url: ENDPOINT_URL, events: ['session.processed', 'export.completed'], acceptUnprotected: false },
    ])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await card.getByText(ENDPOINT_URL, { exact: true }).waitFor()
    expect(await page.content()).not.toContain(TEST_SECRET)
    await openScreen(page, 'Overview')
    await openScreen(page, 'Service & key')
    await card.getByText(ENDPOINT_URL, { exact: true }).waitFor()
    expect(await page.content()).not.toContain(TEST_SECRET)
  })

  it('show a refusal of the service and keep the input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    const card = page.getByRole('region', { name: 'Endpoint at the service' })
    const message = 'The service refuses to register this endpoint (too many endpoints). Request ID: req_9.'
    await page.evaluate(
      (words) => window.scripted.failNext('registerWebhook', { kind: 'refused', message: words }),
      message,
    )
    await card.getByLabel('URL that the service calls').fill(ENDPOINT_URL)
    await card.getByRole('button', { name: 'Register endpoint' }).click()
    await card.getByText(message).waitFor()
    expect(await card.getByLabel('URL that the service calls').inputValue()).toBe(ENDPOINT_URL)
  })

  it('ask for consent before they store a secret without a keychain', async () => {
    const page = await open({ scene: 'calm', moving: false, unprotected: true })
    await openScreen(page, 'Service & key')
    const card = page.getByRole('region', { name: 'Endpoint at the service' })
    await card.getByLabel('URL that the service calls').fill(ENDPOINT_URL)
    const registerButton = card.getByRole('button', { name: 'Register endpoint' })
    expect(await registerButton.isDisabled()).toBe(true)
    await card.getByText('Save the secret anyway').click()
    await registerButton.click()
    await page.getByText(TEST_SECRET).waitFor()
    expect(await callArgs(page, 'registerWebhook')).toMatchObject([{ acceptUnprotected: true }])
  })

  it('remove the secrets after the user confirms', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    const card = page.getByRole('region', { name: 'Endpoint at the service' })
    await card.getByLabel('URL that the service calls').fill(ENDPOINT_URL)
    await card.getByRole('button', { name: 'Register endpoint' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await card.getByRole('button', { name: 'Remove secrets…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove secrets' }).click()
    await card.getByText(ENDPOINT_URL, { exact: true }).waitFor({ state: 'detached' })
    expect(await callArgs(page, 'forgetWebhooks')).toHaveLength(1)
  })
})
