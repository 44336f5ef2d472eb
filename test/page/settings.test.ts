import { expect, it } from 'vitest'
import { openScreen } from './harness.ts'
import { callArgs, describePage } from './with-page.ts'

const KEY = 'svc_live_write_0001'

describePage('settings', (open) => {
  it('never show a stored key or a key that the user types', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    await page.getByText('A key is stored', { exact: false }).waitFor()
    const field = page.getByLabel('New key')
    expect(await field.inputValue()).toBe('')
    await field.fill(KEY)
    expect(await field.getAttribute('type')).toBe('password')
    await page.getByText('Live key', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('The key is saved.').waitFor()
    expect(await field.inputValue()).toBe('')
    expect(await page.content()).not.toContain(KEY)
  })

  it.each([
    ['svc_live_reader_001', 'read-only'],
    ['svc_live_nonsense_1', 'wrong or has been revoked'],
    ['svc_test_write_0001', 'Test key'],
  ])('show what a key can do: %s', async (key, words) => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    await page.getByLabel('New key').fill(key)
    await page.getByText(words, { exact: false }).first().waitFor()
  })

  it('ask for a new key when the address changes, before and after the address is saved', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    await page.getByText('A key is stored', { exact: false }).waitFor()
    const address = page.getByLabel('Service address')
    const words = page.getByText('This address needs its own key.', { exact: false })
    await address.fill('http://127.0.0.1:9999')
    await words.waitFor()
    await page.getByText('A key is stored', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Recordings are queued until you add a key.', { exact: false }).waitFor()
    expect(await words.count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Test key' }).count()).toBe(0)
    await page.getByRole('textbox', { name: 'Key' }).fill(KEY)
    await page.getByText('Live key', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Save key' }).click()
    await page.getByText('A key is stored', { exact: false }).waitFor()
    expect(await words.count()).toBe(0)
    expect(await callArgs(page, 'saveKey')).toMatchObject([{ baseUrl: 'http://127.0.0.1:9999' }])
  })

  it('show the storage hosts, and keep them when a different field is saved', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Service & key')
    await page.getByText('Certificates and storage').click()
    const hosts = page.getByLabel('Storage hosts')
    await hosts.fill('storage.example.com, https://x.example.org/')
    await page.getByText('Give host names only', { exact: false }).waitFor()
    await hosts.fill('Storage.example.com  *.example.org')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: false }).waitFor()
    await page.getByLabel('File with extra certificates').fill('/etc/lab.pem')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => callArgs(page, 'saveSettings')).toHaveLength(2)
    expect((await callArgs(page, 'saveSettings'))[1]).toMatchObject({
      service: { ca_file: '/etc/lab.pem', upload_hosts: ['storage.example.com', '*.example.org'] },
    })
  })

  it('show each error at its field, keep the wrong input, and do not save wrong input', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    await page.getByLabel('Parallel recordings').fill('40')
    await page.getByText('Use 16 or less.').waitFor()
    await page.getByLabel('Speed limit').fill('fast')
    await page.getByText('Type a number, such as 1000.').waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Parallel recordings').fill('4')
    await page.getByLabel('Speed limit').fill('12,5')
    await page.getByRole('radio', { name: 'As a list' }).click()
    await page.getByLabel('From').first().fill('25:00')
    await page.getByText('Use HH:MM', { exact: false }).waitFor()
    await page.getByLabel('From').first().fill('19:30')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.', { exact: false }).waitFor()
    expect((await callArgs(page, 'saveSettings'))[0]).toMatchObject({
      transfer: {
        parallel_recordings: 4,
        limit_mbit_per_s: 12.5,
        windows: [{ from: '19:30', to: '07:00' }, {}],
      },
    })
  })

  it('refuse a folder that is already watched, and warn about nested folders and network drives', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Folders')
    await page.getByRole('button', { name: 'Watch another folder' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/recordings/hall-3')
    await dialog.getByText('This folder is already watched.').waitFor()
    const watch = dialog.getByRole('button', { name: 'Watch this folder' })
    expect(await watch.isDisabled()).toBe(true)
    await dialog.getByLabel('Folder', { exact: true }).fill('/data/recordings/hall-3/today')
    await dialog.getByText('It is inside /data/recordings/hall-3', { exact: false }).waitFor()
    expect(await dialog.getByLabel('Site').inputValue()).toBe('Hall 3')
    await dialog.getByLabel('Folder', { exact: true }).fill('\\\\nas-03\\new')
    await dialog.getByText('It is on a network drive', { exact: false }).waitFor()
    // The dialog suggests no site for a folder outside all watched folders.
    expect(await dialog.getByLabel('Site').inputValue()).toBe('')
    expect(await watch.isDisabled()).toBe(true)
    await dialog.getByLabel('Site').fill('Yard')
    await watch.click()
    await page.getByRole('heading', { name: '\\\\nas-03\\new' }).waitFor()
  })

  it('keep two changes that are saved at the same time', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'General')
    const attention = page.getByRole('switch', { name: 'When something needs attention' })
    const sound = page.getByRole('switch', { name: 'Sound when a recording' })
    const switches = await Promise.all([attention, sound].map((toggle) => toggle.elementHandle()))
    await page.evaluate((toggles) => {
      for (const toggle of toggles) (toggle as HTMLElement | null)?.click()
    }, switches)
    await expect.poll(() => callArgs(page, 'saveSettings')).toHaveLength(2)
    expect((await callArgs(page, 'saveSettings'))[1]).toMatchObject({
      app: { notify_attention: false, sound_on_deviation: true },
    })
  })

  it('keep what is typed while the form is being saved', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'Transfer')
    await page.getByLabel('Parallel recordings').fill('4')
    await page.evaluate(() => window.scripted.holdSaves())
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => callArgs(page, 'saveSettings')).toHaveLength(1)
    await page.getByLabel('Parallel parts').fill('7')
    await page.evaluate(() => window.scripted.releaseSaves())
    await page.getByText('Saved.', { exact: false }).waitFor()
    expect(await page.getByLabel('Parallel parts').inputValue()).toBe('7')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => callArgs(page, 'saveSettings')).toHaveLength(2)
    expect((await callArgs(page, 'saveSettings'))[1]).toMatchObject({
      transfer: { parallel_recordings: 4, parallel_parts: 7 },
    })
  })

  it('apply the theme at once', async () => {
    const page = await open({ scene: 'calm', moving: false })
    await openScreen(page, 'General')
    const readBackground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const lightColour = await readBackground()
    await page.getByText('Dark', { exact: true }).click()
    await expect.poll(readBackground).not.toBe(lightColour)
  })

  it('show why Sluice cannot start at login', async () => {
    const page = await open({ scene: 'calm', moving: false })
    const sentence = 'Sluice will not start at login: it cannot write to the folder of autostart entries.'
    await page.evaluate((trouble) => window.scripted.setLoginTrouble(trouble), sentence)
    await openScreen(page, 'General')
    await page.getByText('in the tray', { exact: false }).waitFor()
    const message = page.getByText(sentence)
    const toggle = page.getByText('Start Sluice when I log in', { exact: true })
    await toggle.click()
    await message.waitFor()
    await toggle.click()
    await message.waitFor({ state: 'detached' })
  })

  it('report a damaged settings file, and name the settings in use', async () => {
    const page = await open({ scene: 'damaged', moving: false })
    await page.getByText('runs on the last good settings', { exact: false }).waitFor()
  })
})
