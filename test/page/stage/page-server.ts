import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { build } from 'vite'
import { contentSecurityPolicy, contentTypes } from '../../../main/shell/window/page-policy.ts'

/**
 * The built page over HTTP, under the policy it has in the app, with the scripted bridge before everything else. A
 * browser keeps what comes from a server, compiled; what a test hands in through its wire is parsed anew each time.
 */

const root = path.join(import.meta.dirname, '../../..')
const BRIDGE = '/scripted-bridge.js'
/** Their names change with their content. */
const KEPT = 'public, max-age=31536000, immutable'

export type PageServer = {
  readonly origin: string
  readonly close: () => void
}

export const servePage = async (): Promise<PageServer> => {
  const bridge = await bundleBridge()
  const server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://sluice.localhost')
    if (pathname === BRIDGE) send(response, '.js', bridge)
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
    // A trustworthy origin to the browser, as the app's own scheme is: the clipboard works only there.
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
      'cache-control': extension === '.html' ? 'no-store' : KEPT,
    })
    .end(body)
}

const readPage = async (): Promise<string> => {
  const page = await readFile(path.join(root, 'out/renderer/index.html'), 'utf8')
  return page.replace('<head>', `<head><script src="${BRIDGE}"></script>`)
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
