/** Thread entry: reads one large body of JSON, hands it over and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { toAppError } from '#shared/contract/errors.ts'
import { readJson } from './json.ts'
import type { JsonTask, JsonTaskAnswer } from './jsonBody.ts'

function answerTo({ bytes, ...options }: JsonTask): JsonTaskAnswer {
  try {
    return { value: readJson(bytes, options) }
  } catch (thrown) {
    return { error: toAppError(thrown).toShape() }
  }
}

parentPort?.postMessage(answerTo(workerData as JsonTask))
