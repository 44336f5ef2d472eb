import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, ServiceError } from './answer.ts'
import type { Effect, FaultRules } from './fault-rules.ts'

type Scene = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly answerNormally: () => Promise<Answer>
  readonly finish: (answer: Answer | ServiceError) => Answer
  readonly faults: FaultRules
}

const BYTE_INTERVAL_MS = 1000

/** Returns the answer to send, or null if this function has handled the connection. */
export const applyEffect = async (effect: Effect, scene: Scene): Promise<Answer | null> => {
  const { request, response } = scene
  switch (effect.kind) {
    case 'answer':
      request.resume()
      return {
        status: effect.status,
        headers: { 'content-type': 'text/html', ...effect.headers },
        body: (effect.body ?? '') + 'x'.repeat(effect.fillBytes ?? 0),
        isFromGateway: true,
      }
    case 'refuse': {
      request.resume()
      const { kind: _, headers, ...error } = effect
      const answer = scene.finish(error)
      return { ...answer, headers: { ...answer.headers, ...headers } }
    }
    case 'edit':
      return editAnswer(await scene.answerNormally(), effect)
    case 'lose':
      await scene.answerNormally()
      response.destroy()
      return null
    case 'hang':
      request.resume()
      scene.faults.hold(() => response.destroy())
      return null
    case 'delay': {
      const answer = await scene.answerNormally()
      await sleep(effect.ms)
      return answer
    }
    case 'drop-half-way':
      return dropHalfWay(request, response)
    case 'trickle':
      return trickle(request, response)
    case 'cut-headers':
      request.resume()
      request.socket.end('HTTP/1.1 200 OK\r\nContent-Type: applic')
      return null
    case 'large-headers': {
      const answer = await scene.answerNormally()
      return { ...answer, headers: { ...answer.headers, 'x-trace': 'x'.repeat(effect.bytes) } }
    }
  }
}

const editAnswer = (answer: Answer, effect: Extract<Effect, { kind: 'edit' }>): Answer => {
  if (answer.status !== 200) return answer
  const session = JSON.parse(answer.body.toString())
  Object.assign(session, effect.session)
  if (typeof session.upload === 'object' && session.upload !== null) {
    Object.assign(session.upload, effect.upload)
    if (effect.listParts !== undefined) {
      // Each URL is cut, so that only the number of entries makes the answer large.
      const url = String(session.upload.parts[0]?.url).slice(0, 40)
      session.upload.parts = Array.from({ length: effect.listParts }, (_, index) => ({
        number: index + 1,
        url,
      }))
    }
  }
  return { ...answer, body: JSON.stringify(session, (_, value) => (value === null ? undefined : value)) }
}

const dropHalfWay = (request: IncomingMessage, response: ServerResponse): Promise<null> => {
  const half = Number(request.headers['content-length'] ?? 0) / 2
  let receivedBytes = 0
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length
      if (receivedBytes < half) return
      response.destroy()
      resolve(null)
    })
  })
}

/** Sends a body of 100,000 bytes, one byte per second, while the client stays connected. */
const trickle = (request: IncomingMessage, response: ServerResponse): null => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
  response.write('{')
  const timer = setInterval(() => response.write(' '), BYTE_INTERVAL_MS)
  response.on('close', () => clearInterval(timer))
  return null
}
