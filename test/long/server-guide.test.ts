import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { patterned } from '../contract/service.ts'
import { makeFolder } from '../integration/server-support.ts'
import { postgresql, startPostgres } from '../support/back-ends/postgres.ts'
import { RetryingClient } from '../support/back-ends/retrying-client.ts'
import { needs } from '../support/needs.ts'
import { launchServer, runServerCommand } from '../support/server-process.ts'

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/server-guide.md'), 'utf8')

const fileOf = (name: string): string => {
  const [, content] = guide.split(`cat > ${name} <<'END'\n`)
  if (content === undefined) throw new Error(`the guide writes no ${name}`)
  return content.split('\nEND\n')[0]!
}

test(
  'the settings and commands of the guide create a key and start three instances',
  needs(postgresql),
  async () => {
    const folder = await makeFolder()
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const secret = path.join(folder, 'database-password')
    writeFileSync(secret, 'PASSWORD OF THE DATABASE\n')
    // The bytes go to a folder, the guide's alternative to S3, so the test leaves out both `s3_` settings.
    const {
      s3_access_key_id: _,
      s3_secret_key_file: __,
      ...settings
    } = JSON.parse(fileOf('/etc/sluice-server/settings.json'))
    const file = path.join(folder, 'settings.json')
    const own = { database: postgres.url, database_password_file: secret, bytes: pathToFileURL(folder).href }
    // `check` opens the ports. A different program may use the guide's ports, so the system chooses free ones.
    writeFileSync(file, JSON.stringify({ ...settings, ...own, port: 0, upload_port: 0 }))

    const commands = [...guide.matchAll(/^sluice-server (.+)$/gm)].map(([, args]) => args!)
    expect(commands).toHaveLength(3)
    let org = ''
    const outputs: string[] = []
    for (const command of commands) {
      const args = [...command.replace('org_…', org).matchAll(/"([^"]*)"|(\S+)/g)].map(
        ([, text, word]) => text ?? word!,
      )
      const { code, out, err } = await runServerCommand([...args, '--settings', file])
      // The check comes first and fails, because there is no key yet.
      expect([command, code, err]).toEqual([command, command === 'check' ? 1 : 0, ''])
      org = /org_[0-9a-z]+/.exec(out)?.[0] ?? org
      outputs.push(out)
    }
    expect(outputs[0]).toContain('no key can upload')
    const key = JSON.parse(outputs[2]!).key as string
    expect((await runServerCommand(['check', '--settings', file])).code).toBe(0)

    const flags = ['--settings', file, '--host', '127.0.0.1', '--min-part-size', '1000']
    const first = await launchServer(flags)
    onTestFinished(() => first.kill())
    const { partsUrl } = first
    // There is no proxy here, so the other instances name the first one as the upload address.
    const others = await Promise.all([1, 2].map(() => launchServer([...flags, '--upload-url', partsUrl])))
    for (const server of others) onTestFinished(() => server.kill())
    for (const { baseUrl } of [first, ...others]) expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200)
    const id = await new RetryingClient(others[0]!.baseUrl, key).upload(patterned(2_500), 'first.bin')
    const session = await new RetryingClient(others[1]!.baseUrl, key).waitUntilProcessed(id)
    expect(session.status).toBe('processed')
  },
)
