import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { linux, needs } from '../support/needs.ts'
import {
  fusesOf,
  isWindowsX64,
  picturesOf,
  type Resource,
  resourcesOf,
  versionText,
} from './windows-program.ts'

const root = path.resolve(import.meta.dirname, '../..')
const app = path.join(root, 'dist/win-unpacked')
const program = path.join(app, 'Sluice.exe')
const archive = path.join(app, 'resources/app.asar')

// Without this, Electron's Node would treat an `.asar` file as a folder.
Object.assign(process, { noAsar: true })

const listFiles = (): string[] =>
  readdirSync(app, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(app, name))
    .filter((file) => statSync(file).isFile())

const readBeginning = (file: string, bytes: number): Buffer => {
  const handle = openSync(file, 'r')
  const chunk = Buffer.alloc(bytes)
  readSync(handle, chunk)
  closeSync(handle)
  return chunk
}

type Entry = {
  readonly files?: Readonly<Record<string, Entry>>
  readonly offset?: string
  readonly size?: number
}

/** The header of the archive: the list of its files, and the offset of their content. */
const readArchiveHeader = (): { readonly text: string; readonly tree: Entry; readonly start: number } => {
  const sizes = readBeginning(archive, 16)
  const length = sizes.readUInt32LE(12)
  const text = readBeginning(archive, 16 + length).toString('utf8', 16)
  return { text, tree: JSON.parse(text), start: 8 + sizes.readUInt32LE(4) }
}

const listArchivedFiles = (entry: Entry, folder = ''): { readonly name: string; readonly entry: Entry }[] =>
  Object.entries(entry.files ?? {}).flatMap(([name, inner]) =>
    inner.files === undefined
      ? [{ name: `${folder}${name}`, entry: inner }]
      : listArchivedFiles(inner, `${folder}${name}/`),
  )

describe('the Windows package, built on Linux', needs(linux), () => {
  let resources: readonly Resource[]
  beforeAll(() => {
    execFileSync('node', ['scripts/package.mjs', '--for', 'win32-x64'], { cwd: root, stdio: 'inherit' })
    resources = resourcesOf(program)
  }, 1_800_000)

  test('contains Windows’ native modules and no others', () => {
    const nativeModules = listFiles().filter((file) => file.endsWith('.node'))
    expect(nativeModules.map((file) => path.basename(file))).toContain('win32-x64.node')
    for (const file of [program, ...nativeModules]) expect(isWindowsX64(file), file).toBe(true)
  })

  test('contains no file of Linux or macOS, in the archive or beside it', () => {
    const names = listArchivedFiles(readArchiveHeader().tree).map(({ name }) => name)
    expect(names).toContain('out/main/index.js')
    const files = listFiles()
    const foreign = /\.(so|dylib)(\.[\d.]+)?$|(?:linux|linuxmusl|darwin)-\w+\.node$/
    expect([...names, ...files].filter((name) => foreign.test(name))).toEqual([])
    const magic = files.map((file) => readBeginning(file, 4).toString('latin1'))
    expect(files.filter((_, index) => ['\x7fELF', '\xcf\xfa\xed\xfe'].includes(magic[index]!))).toEqual([])
    const { tree, start } = readArchiveHeader()
    const content = readFileSync(archive)
    const programs = listArchivedFiles(tree)
      .filter(({ entry }) => entry.offset !== undefined)
      .filter(({ entry }) => {
        const offset = start + Number(entry.offset)
        return content.toString('latin1', offset, offset + 4) === '\x7fELF'
      })
    expect(programs.map(({ name }) => name)).toEqual([])
  })

  test('contains no app other than Sluice', () => {
    const archives = listFiles().filter((file) => file.endsWith('.asar'))
    expect(archives.map((file) => path.relative(app, file))).toEqual(['resources/app.asar'])
  })

  test('contains the schema of the settings file, so that a text editor can check the file', () => {
    const schema = readFileSync(path.join(app, 'resources/settings.schema.json'), 'utf8')
    expect(schema).toBe(readFileSync(path.join(root, 'docs/settings.schema.json'), 'utf8'))
  })

  test('runs only Sluice: no Node, no debugger, only its own archive', () => {
    const [asNode, , nodeOptions, inspect, integrity, onlyArchive, , fileProtocol] = fusesOf(program)
    expect({ asNode, nodeOptions, inspect, integrity, onlyArchive, fileProtocol }).toEqual({
      asNode: '0',
      nodeOptions: '0',
      inspect: '0',
      integrity: '1',
      onlyArchive: '1',
      fileProtocol: '0',
    })
    const integrityResource = resources.find(
      ({ type, name }) => type === 'INTEGRITY' && name === 'ELECTRONASAR',
    )
    expect(JSON.parse(integrityResource?.data.toString('utf8') ?? '[]')).toContainEqual({
      file: 'resources\\app.asar',
      alg: 'SHA256',
      value: createHash('sha256').update(readArchiveHeader().text).digest('hex'),
    })
  })

  test('has its name and version where Windows shows them', () => {
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    const texts = ['ProductName', 'FileDescription', 'FileVersion', 'LegalCopyright']
    expect(texts.map((name) => versionText(resources, name))).toEqual([
      'Sluice',
      'Sluice',
      `${version}-fortests`,
      'The Sluice authors',
    ])
  })

  test('has the icon of Sluice in every size', () => {
    const icons = resources.filter(({ type }) => type === 3).map(({ data }) => data.toString('base64'))
    const pictures = picturesOf(path.join(root, 'out/icons/app.ico')).map((data) => data.toString('base64'))
    expect(pictures.length).toBeGreaterThan(3)
    expect(icons.sort()).toEqual(pictures.toSorted())
  })
})
