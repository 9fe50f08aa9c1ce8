/**
 * Notes in the file PERPSCOPE_REACHED which probes were reached. Every process and thread of the first run loads this
 * before anything else; each test file starts with an empty set (setup.mjs).
 */
import { appendFileSync } from 'node:fs'

const file = process.env.PERPSCOPE_REACHED
const seen = new Set()

globalThis.__reachedIds = seen
globalThis.__reached = (id) => {
  if (seen.has(id)) return
  seen.add(id)
  if (file) appendFileSync(file, `${id}\n`)
}
