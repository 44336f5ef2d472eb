import { expect, it } from 'vitest'
import { callArgs, describePage } from './with-page.ts'

describePage('the first run', (open) => {
  it('asks three questions, checks each answer, and ends with the first upload', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    // The page calls `pageDrawn` after the first paint. Then the app shows the window and starts the agent.
    await expect.poll(() => callArgs(page, 'pageDrawn')).toHaveLength(1)
    const continueButton = page.getByRole('button', { name: 'Continue' })
    expect(await continueButton.isDisabled()).toBe(true)

    await page.getByLabel('Address').fill('api.example.com/v1/')
    await page.getByText('Start the address with https://').waitFor()
    await page.getByRole('button', { name: 'Use https://api.example.com' }).click()
    await page.getByLabel('Key', { exact: true }).fill('svc_live_wrong_00001')
    await page.getByText('it is wrong or has been revoked', { exact: false }).waitFor()
    expect(await continueButton.isDisabled()).toBe(true)
    await page.getByLabel('Key', { exact: true }).fill('svc_live_write_0001')
    await page.getByText('Live key: production data.').waitFor()
    await continueButton.click()

    await page.getByLabel('Folder', { exact: true }).fill('C:\\')
    await page.getByText('This is a whole drive', { exact: false }).waitFor()
    expect(await continueButton.isDisabled()).toBe(true)
    await page.getByLabel('Folder', { exact: true }).fill('D:\\secret')
    await page.getByText('no permission to read', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Choose…' }).click()
    await page.getByText('It has 12 files (18.4 GB).', { exact: false }).waitFor()
    await continueButton.click()

    const startButton = page.getByRole('button', { name: 'Start watching' })
    expect(await startButton.isDisabled()).toBe(true)
    await page.getByLabel('Site').fill('Hall 3')
    await page.getByRole('button', { name: 'Back' }).click()
    expect(await page.getByLabel('Folder', { exact: true }).inputValue()).toBe('D:\\Recordings\\new-rig')
    await continueButton.click()
    expect(await page.getByLabel('Site').inputValue()).toBe('Hall 3')
    expect(await page.getByRole('switch', { name: 'Start Sluice when I log in' }).isChecked()).toBe(true)
    await page.getByLabel('Site').press('Enter')

    await page.getByRole('heading', { name: 'The first recording waits to upload.' }).waitFor()
    expect(await page.locator('.step-done').count()).toBe(3)
    const card = page.locator('.first-recording')
    const boxBefore = await card.boundingBox()
    await page.evaluate(() => window.scripted.finishFirstRecording())
    await page.getByRole('heading', { name: 'The first recording is safe.' }).waitFor()
    expect(await card.boundingBox()).toEqual(boxBefore)
    await page.getByRole('button', { name: 'Open Overview' }).click()
    await page.getByRole('navigation').waitFor()
    expect(await callArgs(page, 'saveKey')).toEqual([
      { baseUrl: 'https://api.example.com', apiKey: 'svc_live_write_0001', acceptUnprotected: false },
    ])
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({
      service: { base_url: 'https://api.example.com' },
      folders: [{ path: 'D:\\Recordings\\new-rig', site: 'Hall 3' }],
      app: { start_at_login: true },
    })
  })

  it('asks whether to start at login, and saves the answer', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    await page.getByRole('button', { name: 'Try the sandbox' }).click()
    await page.getByLabel('Folder', { exact: true }).fill('/data/rig')
    await page.getByText('Folder OK', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Site').fill('Hall 3')
    await page.getByText('New site “Hall 3”: check the spelling.', { exact: false }).waitFor()
    await page.getByText('Start Sluice when I log in', { exact: true }).click()
    await page.getByRole('button', { name: 'Start watching' }).click()
    await page.getByRole('heading', { name: 'The first recording waits to upload.' }).waitFor()
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({ app: { start_at_login: false } })
  })

  it('accepts a pasted key with spaces and line breaks', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    await page.getByLabel('Address').fill('https://api.example.com')
    await page.evaluate(() => navigator.clipboard.writeText('  svc_test_\n write_\r\n0001 \n'))
    await page.getByLabel('Key', { exact: true }).focus()
    await page.keyboard.press('Control+v')
    await page.getByText('Test key: its uploads', { exact: false }).waitFor()
    expect(await callArgs(page, 'testKey')).toEqual([
      { baseUrl: 'https://api.example.com', apiKey: 'svc_test_write_0001' },
    ])
    // The page accepts a test key only with consent, because test uploads never reach production.
    const continueButton = page.getByRole('button', { name: 'Continue' })
    expect(await continueButton.isDisabled()).toBe(true)
    await page.getByText('Use this test key anyway').click()
    expect(await continueButton.isEnabled()).toBe(true)
  })

  it('reports an unreachable service, and lets the user continue offline', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    await page.getByLabel('Address').fill('https://nowhere.example.com')
    await page.getByLabel('Key', { exact: true }).fill('svc_live_write_0001')
    const verdict = page.getByText('The key is not tested.', { exact: false })
    await verdict.waitFor()
    expect((await verdict.textContent())?.match(/cannot be reached/g)).toHaveLength(1)
    await page.getByRole('button', { name: 'Continue' }).click()
    // A step that was not tested has no tick.
    await page.getByRole('listitem').filter({ hasText: 'Service (not tested)' }).waitFor()
    expect(await page.locator('.step-done').count()).toBe(0)
  })

  it('asks before it stores a key without a keychain', async () => {
    const page = await open({ scene: 'first-run', moving: false, unprotected: true })
    await page.getByLabel('Address').fill('https://api.example.com')
    await page.getByLabel('Key', { exact: true }).fill('svc_live_write_0001')
    await page.getByText('Live key', { exact: false }).waitFor()
    const continueButton = page.getByRole('button', { name: 'Continue' })
    expect(await continueButton.isDisabled()).toBe(true)
    await page.getByText('Save the key anyway').click()
    expect(await continueButton.isEnabled()).toBe(true)
  })

  it('starts with the sandbox, without an address or a key, and offers sample recordings', async () => {
    const page = await open({ scene: 'first-run', moving: false })
    await page.getByRole('button', { name: 'Try the sandbox' }).click()
    await page.getByRole('heading', { name: 'Where does the recorder write?' }).waitFor()
    expect(await callArgs(page, 'startSandbox')).toHaveLength(1)
    await page.getByRole('button', { name: 'Use sample recordings' }).press('Enter')
    await expect
      .poll(() => page.getByLabel('Folder', { exact: true }).inputValue())
      .toMatch(/Sluice sample recordings$/)
  })

  it('explains how to get a tray icon on GNOME, and what to do without a tray icon', async () => {
    const finishFirstRun = async (noTray: boolean) => {
      const page = await open({ scene: 'first-run', moving: false, noTray })
      await page.getByLabel('Address').fill('https://api.example.com')
      await page.getByLabel('Key', { exact: true }).fill('svc_live_write_0001')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('button', { name: 'Choose…' }).click()
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByLabel('Site').fill('Hall 3')
      await page.getByLabel('Site').press('Enter')
      await page.getByRole('button', { name: 'Open Overview' }).waitFor()
      return page
    }
    const page = await finishFirstRun(true)
    await page.getByText('GNOME does not show tray icons.', { exact: false }).waitFor()
    await page.getByText('sudo apt install gnome-shell-extension-appindicator').waitFor()
    await page.getByText('leave this window open', { exact: false }).waitFor()
    const pageWithTray = await finishFirstRun(false)
    await expect.poll(() => callArgs(pageWithTray, 'getAppInfo')).not.toHaveLength(0)
    expect(await pageWithTray.getByText('GNOME', { exact: false }).count()).toBe(0)
  })
})
