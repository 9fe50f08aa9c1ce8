import { readFileSync, writeFileSync } from 'node:fs'
import { importTable } from './importTable.js'

const heading = ['| folder | may import (besides itself) |', '|---|---|']

const cell = (names) => names.map((name) => (name === 'node:*' ? 'node' : name)).join(', ')

/** Formats the import table for ARCHITECTURE.md; folders with the same permissions share a line. */
export function importTableText() {
  const groups = Map.groupBy(importTable, ({ may }) => [...may].sort().join())
  const lines = [...groups.values()].map(
    (group) => `| ${group.map(({ folder }) => folder).join(', ')} | ${cell(group[0].may) || 'nothing'} |`,
  )
  return [...heading, ...lines].join('\n')
}

/** Writes the table to ARCHITECTURE.md when run directly (`node scripts/lint/importTableText.js`). */
if (process.argv[1] === import.meta.filename) {
  const file = new URL('../../ARCHITECTURE.md', import.meta.url)
  const tablePattern = /\| folder \|.*\n(\|.*\n)*/
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(tablePattern, () => `${importTableText()}\n`),
  )
}
