import path from 'node:path'
import { protocol } from 'electron'
import { pathsOf } from '../../../shared/paths/paths.ts'
import { contentSecurityPolicy, contentTypes } from './page-policy.ts'

/**
 * The page is served from its own scheme rather than file://, so it has an origin of its own, cannot read
 * the disk, and gets its policy as a header that markup cannot weaken.
 */
const PAGE_URL = 'sluice://app/'

/** Chromium's `net::ERR_FILE_NOT_FOUND`. */
const FILE_NOT_FOUND = -6

/** `npm run dev` serves the page from its source, so that an edit shows at once; a package knows only its own page. */
export const pageAddress = (packaged: boolean, env: NodeJS.ProcessEnv): string =>
  (packaged ? '' : env.SLUICE_PAGE_URL) || PAGE_URL

/** Must run before the app is ready. */
export const registerPageScheme = (): void =>
  protocol.registerSchemesAsPrivileged([
    {
      scheme: 'sluice',
      // The cache of compiled code is for the second start on.
      privileges: { standard: true, secure: true, supportFetchAPI: false, codeCache: true },
    },
  ])

/** Null for another host, a way out of the folder, or an address that cannot be read. */
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
 * Chromium reads the files itself. `protocol.handle` would do it in JavaScript, and loads Node's `fetch` for it: 70 ms that
 * the first page waits for, and memory all night. Electron calls this one deprecated; `registerSource`, which takes its
 * place, is not in all versions that Sluice runs on.
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
