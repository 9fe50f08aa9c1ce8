/**
 * Measures benchmark lines of the checkout in its argument, one at a time, as its parent process requests them
 * (against.mjs).
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = join(process.argv[2], 'test', 'bench')

async function findLine(name) {
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.bench.ts'))) {
    const { benchLines } = await import(pathToFileURL(join(folder, file)).href)
    const found = benchLines.find((line) => line.name === name)
    if (found) return found
  }
  throw new Error(`no line is called “${name}”`)
}

let task = null

async function answer({ prepare, measure, close }) {
  if (prepare) {
    task = await (await findLine(prepare)).prepare()
    return task.rounds ?? 5
  }
  if (measure) return task.ours()
  if (!close) return null
  await task?.close?.()
  task = null
  return null
}

process.on('message', (request) => {
  answer(request).then(
    (value) => process.send({ value }),
    (error) => process.send({ error: String(error?.message ?? error) }),
  )
})
process.on('disconnect', () => process.exit())
