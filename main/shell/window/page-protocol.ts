import path from 'node:path'
import { protocol } from 'electron'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { contentSecurityPolicy, contentTypes } from './page-policy.ts'

/**
 * With its own scheme instead of `file://`, the page has its own origin and cannot read the disk. Its content security
 * policy is a header, which markup cannot weaken.
 */
const PAGE_URL = 'sluice://app/'

/** Chromium's `net::ERR_FILE_NOT_FOUND`. */
const FILE_NOT_FOUND = -6

/** `npm run dev` serves the page from source with hot reload. The packaged app loads only its own page. */
export const pageAddress = (isPackaged: boolean, env: NodeJS.ProcessEnv): string =>
  (isPackaged ? '' : env.SLUICE_PAGE_URL) || PAGE_URL

/** Must run before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'sluice',
      privileges: { standard: true, secure: true, supportFetchAPI: false, codeCache: true },
    },
  ])

/** Null for another host, a path outside the folder, or an invalid address. */
const fileAt = (root: string, address: string): string | null => {
  try {
    const { host, pathname } = new URL(address)
    const file = path.join(root, pathname === '/' ? 'index.html' : decodeURIComponent(pathname))
    return host === 'app' && pathsOf(process.platform).contains(root, file) ? file : null
  } catch {
    return null
  }
}

/**
 * With `registerFileProtocol`, Chromium reads the files itself. `protocol.handle` would read them in JavaScript and
 * load Node's `fetch`, which delays the first page by 70 ms. `registerFileProtocol` is deprecated, but its successor
 * `registerSource` is experimental and missing in Electron 42, the fallback.
 */
export const servePage = (root: string): void => {
  protocol.registerFileProtocol('sluice', (request, answer) => {
    const file = fileAt(root, request.url)
    const contentType = file === null ? undefined : contentTypes[path.extname(file)]
    if (file === null || contentType === undefined) return answer({ error: FILE_NOT_FOUND })
    answer({
      path: file,
      headers: {
        'content-type': contentType,
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
      },
    })
  })
}
