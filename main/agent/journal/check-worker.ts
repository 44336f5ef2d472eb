import { parentPort, workerData } from 'node:worker_threads'
import { quickCheck } from './database.ts'

/** One check, one answer. */
parentPort?.postMessage(quickCheck(workerData as string))
