/**
 * The client and the server of tus. Node gets this file as text, in the folder with their packages, so that Sluice does not
 * depend on them. With a folder as its argument it is the server, otherwise the client. Each input line of the client is a
 * file to send. Each output line reports that a file arrived.
 */
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

/** @param {string} name */
const of = (name) => import(name)
const [kept] = process.argv.slice(1)

if (kept !== undefined) {
  const [{ Server }, { FileStore }] = await Promise.all([of('@tus/server'), of('@tus/file-store')])
  const tus = new Server({ path: '/files', datastore: new FileStore({ directory: kept }) })
  const server = createServer((request, response) => tus.handle(request, response))
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    console.log(`http://127.0.0.1:${port}/files`)
  })
} else {
  const { Upload } = await of('tus-js-client')
  createInterface(process.stdin).on('line', (line) => {
    const { endpoint, file } = JSON.parse(line)
    new Upload(createReadStream(file), {
      endpoint,
      uploadSize: statSync(file).size,
      chunkSize: Number.POSITIVE_INFINITY,
      retryDelays: null,
      onError: (/** @type {Error} */ error) => console.log(`failed: ${error.message}`),
      onSuccess: () => console.log('done'),
    }).start()
  })
}
