import { parentPort, workerData } from 'node:worker_threads'
import { quickCheck } from './quick-check.ts'

/** Runs one check, posts one answer and exits. */
parentPort?.postMessage(quickCheck(workerData as string))
