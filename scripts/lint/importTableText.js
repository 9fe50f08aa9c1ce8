import { readFileSync, writeFileSync } from 'node:fs'
import { importTable } from './importTable.js'

const heading = ['| folder | may import (besides itself) |', '|---|---|']

const cell = (names) => names.map((name) => (name === 'node:*' ? 'node' : name)).join(', ')

/** Formats the import table as ARCHITECTURE.md shows it. */
export function importTableText() {
  return [...heading, ...importTable.map(({ folder, may }) => `| ${folder} | ${cell(may) || 'nothing'} |`)].join('\n')
}

/** Writes the table into ARCHITECTURE.md when run by hand (`node scripts/lint/importTableText.js`). */
if (process.argv[1] === import.meta.filename) {
  const file = new URL('../../ARCHITECTURE.md', import.meta.url)
  const shown = /\| folder \|.*\n(\|.*\n)*/
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(shown, () => `${importTableText()}\n`),
  )
}
