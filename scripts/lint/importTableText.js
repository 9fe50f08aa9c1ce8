import { readFileSync, writeFileSync } from 'node:fs'
import { exceptions, floors } from './importTable.js'

const heading = ['| floor | rooms | stands on | packages |', '|---|---|---|---|']

/** Formats the floors for ARCHITECTURE.md, and below them the exceptions. */
export function importTableText() {
  const lines = floors.map(
    ({ name, rooms, under, packages }) =>
      `| ${name} | ${rooms.join(', ')} | ${under.join(', ') || 'nothing'} | ${packages.join(', ') || 'none'} |`,
  )
  const others = exceptions.map(({ from, to, why }) => `- ${from} may import ${to}: ${why}.`)
  return [...heading, ...lines, '', ...others].join('\n')
}

/** Writes the table to ARCHITECTURE.md when run directly (`node scripts/lint/importTableText.js`). */
if (process.argv[1] === import.meta.filename) {
  const file = new URL('../../ARCHITECTURE.md', import.meta.url)
  const tablePattern = /\| floor \|.*\n(\|.*\n)*\n(- .* may import .*\n)*\n?/
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(tablePattern, () => `${importTableText()}\n\n`),
  )
}
