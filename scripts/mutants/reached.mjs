/**
 * Appends the ids of reached probes to the file that PERPSCOPE_REACHED names. Every process and thread of the run with
 * probes loads this module before anything else. The test thread also appends a line where each test starts and ends
 * (setup.mjs).
 */
import { appendFileSync } from 'node:fs'

const file = process.env.PERPSCOPE_REACHED
/** Time after which a probe is recorded again, because a thread or process may serve several tests. */
const AGAIN_AFTER_MS = 100
const recordedAt = new Map()

const record = (line) => file && appendFileSync(file, `${line}\n`)

globalThis.__reached = (id) => {
  const now = performance.now()
  if (now - (recordedAt.get(id) ?? -Infinity) < AGAIN_AFTER_MS) return
  recordedAt.set(id, now)
  record(id)
}

globalThis.__markTest = (id) => {
  recordedAt.clear()
  record(`=${id}`)
}
