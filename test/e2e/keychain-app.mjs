// A bare Electron app around the app's own key store: `… DATA save KEY`, then `… DATA read`.
import path from 'node:path'
import { app, safeStorage } from 'electron'

const secretsFile = path.join(import.meta.dirname, '../../out/main/shell/secrets.js')
const { Secrets } = await import(secretsFile)
const [folder, act, key] = process.argv.filter((argument) => !argument.startsWith('--')).slice(2)

await app.whenReady()
const secrets = new Secrets({
  folder,
  keychain: safeStorage,
  platform: process.platform,
  log: () => undefined,
})
if (act === 'save') secrets.save(key, false)
secrets.load()
const { backend, protects } = secrets.describe()
process.stdout.write(`${JSON.stringify({ backend, protects, key: secrets.key })}\n`)
app.exit(0)
