/**
 * A client and a server of tus, a protocol for resumable uploads. The bench passes this source to `node --eval` in the
 * folder with the packages of tus, so Sluice itself does not depend on them. With a folder as its argument, the program
 * runs the server and prints its URL. Otherwise it runs the client. Each input line is a JSON object with the endpoint
 * and a file to send. The client answers each line with `done` or `failed: …`.
 */
import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

/** @param {string} name */
const importPackage = (name) => import(name)
const [storeFolder] = process.argv.slice(1)

if (storeFolder !== undefined) {
  const [{ Server }, { FileStore }] = await Promise.all([
    importPackage('@tus/server'),
    importPackage('@tus/file-store'),
  ])
  const tus = new Server({ path: '/files', datastore: new FileStore({ directory: storeFolder }) })
  const server = createServer((request, response) => tus.handle(request, response))
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    console.log(`http://127.0.0.1:${port}/files`)
  })
} else {
  const { Upload } = await importPackage('tus-js-client')
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
