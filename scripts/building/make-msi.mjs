import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ExpectedFailure } from '../launcher/command.mjs'
import { MSI_ACTIONS, MSI_PROPERTIES } from './msi-actions.mjs'
import { homepage } from './release-checks.mjs'
import { runTool, runToolWith } from './run-tool.mjs'
import { OUT } from './stale.mjs'
import { filesIn, numbersOf } from './windows-package.mjs'

/** Must never change: Windows finds the installed version by this code. */
const UPGRADE_CODE = 'B1D0C3F4-5C0E-4E57-9A55-6D0E8C1B7A21'
const MACHINE_FOLDER_COMPONENT = '7C2A6E0B-0B1E-4B57-8E2B-3F9D1A64C5D2'

/**
 * Makes the package for a silent roll-out, for example
 * `msiexec /i Sluice.msi /qn SERVICE=1 STARTATLOGIN=1 SETTINGS=FILE`. Does not use electron-builder, because that would
 * download WiX, which needs .NET.
 *
 * @param {import('./windows-package.mjs').WindowsPackageOptions} options
 * @returns {Promise<string>} the path of the package
 */
export const makeMsi = async (options) => {
  const file = path.join(options.folder, `Sluice-${options.version}-x64.msi`)
  const source = path.join(options.work, 'sluice.wxs')
  await writeFile(source, await wixSource(options))
  const startedAt = Date.now()
  // In the source file, wixl accepts only paths relative to its working folder.
  const cwd = path.dirname(options.app)
  await runToolWith({ cwd }, 'wixl', '-a', 'x64', '-D', 'Win64=yes', '-o', file, source)
  // wixl omits our properties from `SecureCustomProperties`, so the elevated part of the installation would not get
  // them.
  const properties = ['EARLIERVERSION', ...MSI_PROPERTIES].join(';')
  await runTool(
    'msibuild',
    file,
    '-q',
    `UPDATE \`Property\` SET \`Value\` = '${properties}' WHERE \`Property\` = 'SecureCustomProperties'`,
  )
  await makeReproducible(file, startedAt)
  return file
}

/**
 * wixl writes the current time and a random package code into the file. This function replaces both.
 *
 * @param {string} file
 * @param {number} startedAt
 */
const makeReproducible = async (file, startedAt) => {
  const code = /\{[0-9A-F-]{36}\}/i.exec(await runTool('msiinfo', 'suminfo', file))?.[0] ?? ''
  const bytes = await readFile(file)
  const fixedTime = fileTime(Number(process.env.SOURCE_DATE_EPOCH ?? 0))
  for (let second = Math.floor(startedAt / 1000); second <= Date.now() / 1000; second++)
    replaceAll(bytes, fileTime(second), fixedTime)
  const at = bytes.indexOf(code)
  if (code === '' || at === -1) throw new ExpectedFailure(`${file} has no package code.`)
  // Every package needs its own code, so compute it from the rest of the file.
  bytes.fill(0, at, at + code.length)
  bytes.write(`{${guid(createHash('sha256').update(bytes).digest('hex'))}}`, at)
  await writeFile(file, bytes)
}

/** Windows counts intervals of 100 ns since 1601. @param {number} seconds */
const fileTime = (seconds) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE((BigInt(seconds) + 11_644_473_600n) * 10_000_000n)
  return bytes
}

/** @param {Buffer} bytes @param {Buffer} search @param {Buffer} replacement of the same length */
const replaceAll = (bytes, search, replacement) => {
  for (let at = bytes.indexOf(search); at !== -1; at = bytes.indexOf(search, at + search.length))
    replacement.copy(bytes, at)
}

const guid = (/** @type {string} */ name) => {
  const hex = createHash('sha256').update(`sluice ${name}`).digest('hex').toUpperCase()
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-A${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** @param {import('./windows-package.mjs').WindowsPackageOptions} options */
const wixSource = async ({ app, version, displayName, publisher }) => {
  const files = (await filesIn(app)).map((file) => path.relative(app, file))
  const { xml, components } = directoryXml(files, path.basename(app))
  const url = homepage()
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="${guid(`product ${version}`)}" Name="${escapeXml(displayName)}" Version="${numbersOf(version)}" Language="1033"
    Manufacturer="${escapeXml(publisher)}" UpgradeCode="${UPGRADE_CODE}">
    <Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine" Description="${escapeXml(`${displayName} ${version}`)}" Manufacturer="${escapeXml(publisher)}"/>
    <Media Id="1" Cabinet="sluice.cab" EmbedCab="yes"/>
    <Upgrade Id="${UPGRADE_CODE}">
      <UpgradeVersion Minimum="0.0.0" IncludeMinimum="yes" Property="EARLIERVERSION"/>
    </Upgrade>
    <Icon Id="sluice.ico" SourceFile="${escapeXml(path.relative(path.dirname(app), path.join(OUT, 'icons/app.ico')))}"/>
    <Property Id="ARPPRODUCTICON" Value="sluice.ico"/>
    <Property Id="ARPNOMODIFY" Value="1"/>
${url === null ? '' : `    <Property Id="ARPURLINFOABOUT" Value="${escapeXml(url)}"/>\n`}    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramMenuFolder"/>
      <Directory Id="CommonAppDataFolder">
        <Directory Id="MACHINEFOLDER" Name="Sluice">
          <Component Id="MachineFolder" Guid="${MACHINE_FOLDER_COMPONENT}" Win64="yes"><CreateFolder/></Component>
        </Directory>
      </Directory>
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLDIR" Name="Sluice">
${xml}
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="Program" Title="Sluice" Level="1">
      <ComponentRef Id="MachineFolder"/>
${components.map((id) => `      <ComponentRef Id="${id}"/>`).join('\n')}
    </Feature>
${[...SYSTEM_PROGRAMS.map(programXml), ...MSI_ACTIONS.map(actionXml)].join('\n')}
    <InstallExecuteSequence>
      <!-- Inside the transaction: if the new version cannot be installed, Windows restores the earlier one. -->
      <RemoveExistingProducts Sequence="1501"/>
${sequenceXml()}
    </InstallExecuteSequence>
  </Product>
</Wix>
`
}

/**
 * The sequence number at which each phase begins. The standard actions have these numbers: CostFinalize 1000,
 * InstallInitialize 1500, RemoveFiles 3500, InstallFiles 4000.
 */
const SEQUENCES = { programs: 1010, stop: 1510, 'set up': 4010 }

/** The property that contains the path of a system program. */
const propertyOf = (/** @type {string} */ program) => program.toUpperCase().replace('.', '_')

const SYSTEM_PROGRAMS = [...new Set(MSI_ACTIONS.map(({ program }) => program))].filter(
  (program) => program !== 'Sluice.exe',
)

const programXml = (/** @type {string} */ program) =>
  `    <CustomAction Id="Find_${propertyOf(program)}" Property="${propertyOf(program)}" Value="[System64Folder]${program}"/>`

const actionXml = (
  /** @type {import('./msi-actions.mjs').Action} */ { id, program, args, mayFail = false },
) => {
  const source =
    program === 'Sluice.exe' ? `FileKey="${idOf('file', program)}"` : `Property="${propertyOf(program)}"`
  return `    <CustomAction Id="${id}" ${source} ExeCommand="${escapeXml(args)}" Execute="deferred" Impersonate="no" Return="${mayFail ? 'ignore' : 'check'}"/>`
}

/**
 * Each action has a number, because wixl may put an action with `After="X"` far after X.
 */
const sequenceXml = () =>
  [
    ...SYSTEM_PROGRAMS.map(
      (program, index) =>
        `      <Custom Action="Find_${propertyOf(program)}" Sequence="${SEQUENCES.programs + index}">1</Custom>`,
    ),
    ...MSI_ACTIONS.map(
      ({ id, when, phase }, index) =>
        `      <Custom Action="${id}" Sequence="${SEQUENCES[phase] + index}">${escapeXml(when)}</Custom>`,
    ),
  ].join('\n')

/**
 * @param {readonly string[]} files relative to the app
 * @param {string} source the folder of the app, relative to wixl's working folder
 */
const directoryXml = (files, source) => {
  /** @type {string[]} */
  const components = []
  const fileXml = (/** @type {string} */ file) => {
    const id = idOf('component', file)
    components.push(id)
    const shortcut =
      file === 'Sluice.exe'
        ? '<Shortcut Id="StartMenu" Directory="ProgramMenuFolder" Name="Sluice" WorkingDirectory="INSTALLDIR" Target="[INSTALLDIR]Sluice.exe"/>'
        : ''
    return `<Component Id="${id}" Guid="*" Win64="yes"><File Id="${idOf('file', file)}" Name="${escapeXml(path.basename(file))}" Source="${escapeXml(path.join(source, file))}" DiskId="1" KeyPath="yes">${shortcut}</File></Component>`
  }
  const folderXml = (/** @type {string} */ folder) => {
    const inside = files.filter((file) => folder === '.' || file.startsWith(`${folder}/`))
    const own = inside.filter((file) => path.dirname(file) === folder)
    const depth = folder === '.' ? 0 : folder.split('/').length
    const folders = [
      ...new Set(
        inside.map((file) =>
          file
            .split('/')
            .slice(0, depth + 1)
            .join('/'),
        ),
      ),
    ].filter((name) => !own.includes(name))
    /** @type {string} */
    const nested = folders
      .map(
        (name) =>
          `<Directory Id="${idOf('folder', name)}" Name="${escapeXml(path.basename(name))}">\n${folderXml(name)}\n</Directory>`,
      )
      .join('\n')
    return [...own.map(fileXml), nested].filter((part) => part !== '').join('\n')
  }
  return { xml: folderXml('.'), components }
}

/** Windows Installer allows only letters, digits, dots and underscores in an identifier. */
const idOf = (/** @type {string} */ kind, /** @type {string} */ name) =>
  `${kind}_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`

const escapeXml = (/** @type {string} */ text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
