/**
 * `npm run shape` prints figures about the sources and the documents; nothing depends on them. `npm run shape -- --list
 * KEY` lists the places behind one of them, `--json` prints all with their places.
 */
import { parseArgs } from 'node:util'
import { shapeFigures } from './shape/figures.mjs'

function main() {
  const { values } = parseArgs({ options: { list: { type: 'string' }, json: { type: 'boolean' } } })
  const figures = shapeFigures()
  if (values.json) {
    console.log(JSON.stringify(figures, null, 2))
    return 0
  }
  if (values.list === undefined) {
    for (const { key, text, value } of figures) console.log(`${String(value).padStart(7)}  ${key.padEnd(13)}  ${text}`)
    return 0
  }
  const found = figures.find(({ key }) => key === values.list)
  if (!found) {
    console.error(`--list takes one of ${figures.map(({ key }) => key).join(', ')}.`)
    return 2
  }
  for (const { path, note } of found.places) console.log(note === '' ? path : `${path}: ${note}`)
  return 0
}

process.exitCode = main()
