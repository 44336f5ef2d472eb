import fc from 'fast-check'
import { createFolderFilter } from '../../../main/agent/platform/folders/folder-filter.ts'
import { escapeName } from '../../../main/agent/platform/folders/name-escape.ts'
import { isSafeAddress } from '../../../main/agent/service/addresses.ts'
import { checksumHeaderFor } from '../../../main/agent/service/checksum-header.ts'
import { createPartRefusal, hostOf } from '../../../main/agent/service/part-hosts.ts'
import { linuxPaths, macPaths, windowsPaths } from '../../../shared/paths/paths.ts'
import { settingsSchema } from '../../../shared/settings/settings.ts'
import { cutText, escapeText, showLine } from '../../../shared/words/escape-text.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { hostileText } from './hostile-input.ts'

const [defaultFolder] = settingsSchema.shape.folders.parse([{ path: '/recordings', site: 'Hall 3' }])

const invisibleCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

const systems = [linuxPaths, macPaths, windowsPaths]

const filters = systems.flatMap((paths) => [
  createFolderFilter(defaultFolder!, paths),
  createFolderFilter(
    {
      include: ['**/*.{wav,mcap}', 'run_*/**/[a-z]*_?.csv'],
      exclude: ['**/tmp/**', '!(*.wav)'],
      recursive: true,
    },
    paths,
  ),
])

export const recordingNames = (runs: number): FuzzTarget<string> => ({
  name: 'names: filters and displayed names',
  runs,
  inputs: hostileText,
  check: (name) => {
    for (const { takesFile, entersFolder } of filters) {
      takesFile(name)
      entersFolder(name)
    }
    for (const { finder, show, toOpen } of systems)
      finder(['/recordings', '/recordings/inner', 'C:\\', '/'])(toOpen(show(name)))
    for (const shown of [escapeText(name), showLine(name), escapeName(Buffer.from(name, 'utf8'))])
      if (invisibleCharacter.test(shown)) throw new Error('an invisible character is left')
    const shortName = cutText(name, 100)
    if (name.isWellFormed() && !shortName.isWellFormed()) throw new Error('half a character is left')
  },
})

export const rawNames = (runs: number): FuzzTarget<Uint8Array> => ({
  name: 'names: bytes that are not text',
  runs,
  inputs: fc.uint8Array({ maxLength: 255 }),
  check: (bytes) => {
    if (invisibleCharacter.test(escapeName(bytes))) throw new Error('an invisible character is left')
  },
})

/** URLs that a service may send for its parts. */
const address = fc.oneof(
  hostileText,
  fc
    .tuple(
      fc.constantFrom('https://', 'http://', 'HTTPS:\\\\', 'ftp://', '//', 'https:', 'javascript:'),
      fc.constantFrom('', 'user:pw@', '@'),
      fc.oneof(
        fc.constantFrom('localhost', 'localhost.', 'a.localhost', '127.1', '0x7f.1', '2130706433', '[::1]'),
        fc.constantFrom('[::ffff:10.0.0.1]', '169.254.169.254', '10.0.0.1', 's.example'),
        fc.ipV4(),
        fc.ipV6().map((six) => `[${six}]`),
        hostileText,
      ),
      fc.constantFrom('', ':443', ':0', ':99999'),
      hostileText,
    )
    .map((pieces) => pieces.join('')),
)

const refuseByDefault = createPartRefusal('https://api.example.com', undefined)
const refuseByList = createPartRefusal('https://api.example.com', ['*.s.example', 's.example'])
const localHost = /^(localhost|.*\.localhost|(127|10|192\.168|169\.254)(\.\d+)+|\[::1\])$/

export const addresses = (runs: number): FuzzTarget<string> => ({
  name: 'names: addresses of parts',
  runs,
  inputs: address,
  check: (text) => {
    const isSafe = isSafeAddress(text)
    const defaultRefusal = refuseByDefault(text)
    const listRefusal = refuseByList(text)
    if (!URL.canParse(text)) {
      if (isSafe || defaultRefusal === null || listRefusal === null)
        throw new Error('accepted an invalid address')
      return
    }
    const url = new URL(text)
    checksumHeaderFor(url, 'x-amz-checksum-sha256')
    if (defaultRefusal === null && (url.protocol !== 'https:' || localHost.test(hostOf(text))))
      throw new Error('a part would go to a local address or without TLS')
    if (listRefusal === null && !/(^|\.)s\.example$/.test(hostOf(text)))
      throw new Error('accepted a host that is not on the list')
  },
})
