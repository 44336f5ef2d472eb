import { readdirSync } from 'node:fs'
import path from 'node:path'
import { listPackage } from '@electron/asar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { electronsNode, linux, needs } from '../support/needs.ts'
import { PackagedApp } from '../support/packaged-app.ts'

const ARCH = process.arch

/** Every folder of the archive with what it may hold. A new dependency or build output has to be added here. */
const EXPECTED: readonly RegExp[] = [
  /^(LICENSE|package\.json)$/,
  /^out\/(licences\.json|sbom\.cdx\.json)$/,
  /^out\/icons\/[\w@-]+\.(png|ico)$/,
  /^out\/main\/(index|agent-cli|agent-process|sandbox-cli|sandbox-process|[\w-]+-worker)\.js$/,
  /^out\/preload\/index\.cjs$/,
  /^out\/renderer\/index\.html$/,
  /^out\/renderer\/assets\/[\w.-]+\.(js|css|woff2|svg|png)$/,
  /^node_modules\/better-sqlite3\/(LICENSE|package\.json|lib\/.+\.js)$/,
  new RegExp(`^node_modules/better-sqlite3/prebuilds/linux-${ARCH}\\.node$`),
  /^node_modules\/koffi\/(LICENSE\.txt|package\.json|.+\.c?js)$/,
  new RegExp(`^node_modules/@koromix/koffi-linux-${ARCH}/(index\\.js|package\\.json|\\w+/koffi\\.node)$`),
]

describe('the package for Linux', needs(linux, electronsNode), () => {
  let packaged: PackagedApp
  beforeAll(async () => {
    packaged = await PackagedApp.make()
  })
  afterAll(() => packaged?.close())

  test('holds only what runs', () => {
    const archive = path.join(packaged.folder, 'resources/app.asar')
    const names = listPackage(archive, { isPack: false }).map((name) => name.slice(1))
    const files = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)))
    expect(files.filter((file) => !EXPECTED.some((pattern) => pattern.test(file)))).toEqual([])
    expect(files).toContain('out/main/index.js')
    expect(EXPECTED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([])
  })

  test('has one locale', () => {
    expect(readdirSync(path.join(packaged.folder, 'locales'))).toEqual(['en-US.pak'])
  })
})
