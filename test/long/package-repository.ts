import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureMinimalDebian, minimalDebian } from '../support/minimal-debian.ts'
import { needs, program } from '../support/needs.ts'
import { SystemCopy } from '../support/system-copy.ts'

const SCRIPT = path.join(import.meta.dirname, '../../scripts/repository.mjs')
const SOURCE = 'deb [signed-by=/etc/apt/keyrings/sluice.asc] file:/srv/sluice/apt stable main\n'
/**
 * Runs a command in the copy of Debian, with the `/proc` and `/dev` that programs need. Both mounts end with the mount
 * namespace.
 */
const INSIDE = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" "$@"'

export const newRepositoryKey = (folder: string): string => {
  const home = path.join(folder, `gpg-${readdirSync(folder).length}`)
  mkdirSync(home, { mode: 0o700 })
  const gpg = (...args: readonly string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
  gpg(
    '--passphrase',
    '',
    '--quick-gen-key',
    'Sluice tests <tests@sluice.invalid>',
    'rsa2048',
    'sign',
    'never',
  )
  const key = gpg('--armor', '--export-secret-keys')
  execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'])
  return key
}

/** The tests of the repository. They use packages that the caller has built. */
export const testRepository = (dist: () => string): void => {
  describe(
    'the repository',
    needs(program('apt-ftparchive'), program('createrepo_c'), program('rpmsign'), program('gpg')),
    () => {
      let work: string
      let key: string
      let repository: string
      const build = (folder: string, signedWith: string, from = dist()) => {
        const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env
        return spawnSync('node', [SCRIPT, folder, '--from', from], {
          encoding: 'utf8',
          env: { ...env, SLUICE_REPOSITORY_KEY: signedWith },
        })
      }

      beforeAll(() => {
        work = mkdtempSync(path.join(tmpdir(), 'sluice-repo-'))
        key = newRepositoryKey(work)
        repository = path.join(work, 'repository')
        const { status, stderr } = build(repository, key)
        expect(stderr).not.toContain('failed')
        expect(status).toBe(0)
      }, 120_000)
      afterAll(() => rmSync(work, { recursive: true, force: true }))

      test('refuses a different key, and changed content for a published version', () => {
        const other = build(repository, newRepositoryKey(work))
        expect([other.status, other.stderr]).toEqual([1, expect.stringContaining('is a different key')])

        const changed = path.join(work, 'changed')
        mkdirSync(changed)
        const [deb = ''] = readdirSync(dist()).filter((name) => name.endsWith('.deb'))
        writeFileSync(path.join(changed, deb), 'something else')
        const again = build(repository, key, changed)
        expect([again.status, again.stderr]).toEqual([
          1,
          expect.stringContaining('A published version must not change'),
        ])
      })

      test('leaves no private key behind', () => {
        const published = readFileSync(path.join(repository, 'sluice.asc'), 'utf8')
        // The first lines of the private block are also in the public block. Only the other lines are secret.
        const secretLines = key.split('\n').filter((line) => line.length === 64 && !published.includes(line))
        expect(secretLines).not.toEqual([])
        const texts = readdirSync(repository, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.(deb|rpm)$/.test(entry.name))
          .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
        for (const secret of ['PRIVATE KEY', ...secretLines])
          expect(texts.some((text) => text.includes(secret))).toBe(false)
      })

      test(
        'signs the .rpm and the index of yum, and the signature does not fit a changed index',
        needs(program('rpmbuild')),
        () => {
          const yum = path.join(repository, 'yum')
          const [rpm = ''] = readdirSync(yum).filter((name) => name.endsWith('.rpm'))
          const database = path.join(work, 'rpmdb')
          execFileSync('rpm', ['--dbpath', database, '--import', path.join(repository, 'sluice.asc')])
          const check = () =>
            spawnSync('rpm', ['--dbpath', database, '--checksig', path.join(yum, rpm)], { encoding: 'utf8' })
          expect(check().stdout).toContain('digests signatures OK')

          const keyring = path.join(work, 'sluice.gpg')
          execFileSync('gpg', ['--dearmor', '--output', keyring, path.join(repository, 'sluice.asc')])
          const index = path.join(yum, 'repodata/repomd.xml')
          const verify = () => spawnSync('gpgv', ['--keyring', keyring, `${index}.asc`, index]).status
          expect(verify()).toBe(0)
          const original = readFileSync(index, 'utf8')
          writeFileSync(index, original.replace('primary', 'Primary'))
          expect(verify()).not.toBe(0)
          writeFileSync(index, original)
        },
      )

      describe('in a minimal Debian', needs(minimalDebian), () => {
        let debian: string
        beforeAll(async () => {
          debian = await ensureMinimalDebian()
        }, 600_000)

        /** `served`: the folder of the repository. `trusted`: the public key that the administrator has installed. */
        const withStation = (
          served: string,
          trusted: string,
          use: (
            inside: (...command: string[]) => { readonly status: number | null; readonly output: string },
            root: string,
          ) => void,
        ) => {
          const copy = new SystemCopy(debian)
          try {
            cpSync(served, path.join(copy.root, 'srv/sluice'), { recursive: true })
            mkdirSync(path.join(copy.root, 'etc/apt/keyrings'), { recursive: true })
            cpSync(trusted, path.join(copy.root, 'etc/apt/keyrings/sluice.asc'))
            writeFileSync(path.join(copy.root, 'etc/apt/sources.list'), SOURCE)
            const unshare = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', INSIDE, copy.root]
            use((...command) => {
              const { status, stdout, stderr } = spawnSync('unshare', [...unshare, ...command], {
                encoding: 'utf8',
                env: {
                  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
                  DEBIAN_FRONTEND: 'noninteractive',
                  LC_ALL: 'C.UTF-8',
                },
              })
              return { status, output: stdout + stderr }
            }, copy.root)
          } finally {
            copy.close()
          }
        }
        const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'sluice-agent']
        const publicKey = () => path.join(repository, 'sluice.asc')

        test('apt checks the signature and installs sluice-agent, and an ordinary user can run it', () =>
          withStation(repository, publicKey(), (inside) => {
            expect(inside('apt-get', 'update')).toMatchObject({ status: 0 })
            expect(inside(...install)).toMatchObject({ status: 0 })
            const version = inside(
              'setpriv',
              '--reuid=65534',
              '--regid=65534',
              '--clear-groups',
              'sluice',
              'version',
            )
            expect(version).toMatchObject({ status: 0, output: expect.stringMatching(/\d+\.\d+\.\d+/) })
          }))

        test('apt installs nothing if the administrator has installed a different public key', () => {
          const otherKey = path.join(work, 'other.asc')
          const other = path.join(work, 'other')
          expect(build(other, newRepositoryKey(work)).status).toBe(0)
          cpSync(path.join(other, 'sluice.asc'), otherKey)
          withStation(repository, otherKey, (inside) => {
            expect(inside('apt-get', 'update').output).toMatch(/NO_PUBKEY|not signed/)
            expect(inside(...install).status).not.toBe(0)
            expect(inside('dpkg', '--status', 'sluice-agent').status).not.toBe(0)
          })
        })

        test('apt installs nothing if a package differs from the signed index', () =>
          withStation(repository, publicKey(), (inside, root) => {
            const pool = path.join(root, 'srv/sluice/apt/pool')
            const [deb = ''] = readdirSync(pool)
            const bytes = readFileSync(path.join(pool, deb))
            bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100)
            writeFileSync(path.join(pool, deb), bytes)
            expect(inside('apt-get', 'update')).toMatchObject({ status: 0 })
            const { status, output } = inside(...install)
            expect([status, output]).toEqual([100, expect.stringContaining('Hash Sum mismatch')])
            expect(inside('dpkg', '--status', 'sluice-agent').status).not.toBe(0)
          }))
      })
    },
  )
}
