import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { build } from 'vite'
import { contentSecurityPolicy, contentTypes } from '../../../main/shell/window/page-policy.ts'

/**
 * Serves the built page over HTTP with the CSP of the app. The server sends the scripted bridge too, because the
 * browser caches compiled code only for scripts that a server sends.
 */

const root = path.join(import.meta.dirname, '../../..')
const BRIDGE_PATH = '/scripted-bridge.js'
/** The names of built files contain a hash, and the bridge stays the same during a run: the browser may cache both. */
const CACHE_FOREVER = 'public, max-age=31536000, immutable'

export type PageServer = {
  readonly origin: string
  readonly close: () => void
}

export const servePage = async (): Promise<PageServer> => {
  const bridge = await bundleBridge()
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://sluice.localhost')
    if (pathname === BRIDGE_PATH) send(response, '.js', bridge)
    else if (pathname === '/') void readPage().then((page) => send(response, '.html', page))
    else
      readFile(path.join(root, 'out/renderer', pathname)).then(
        (body) => send(response, path.extname(pathname), body),
        () => response.writeHead(404).end(),
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    // The clipboard works only on a trusted origin, such as a loopback address.
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const send = (response: ServerResponse, extension: string, body: string | Buffer): void => {
  response
    .writeHead(200, {
      'content-type': contentTypes[extension] ?? 'application/octet-stream',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': extension === '.html' ? 'no-store' : CACHE_FOREVER,
    })
    .end(body)
}

const readPage = async (): Promise<string> => {
  const page = await readFile(path.join(root, 'out/renderer/index.html'), 'utf8')
  return page.replace('<head>', `<head><script src="${BRIDGE_PATH}"></script>`)
}

const bundleBridge = async (): Promise<string> => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    build: {
      write: false,
      minify: false,
      lib: {
        entry: path.join(import.meta.dirname, '../scripted/bridge.ts'),
        formats: ['iife'],
        name: 'scriptedBridge',
      },
    },
  })
  const [output] = Array.isArray(result) ? result : [result]
  if (output === undefined || !('output' in output)) throw new Error('the scripted bridge was not built')
  return output.output[0].code
}
