import type { SqlDictionary, SqlDictionaryColumn } from '#shared/contract/areas/sql.ts'
import { column } from '#shared/sheet/sheet.ts'
import { differsByVenue, shortUnits } from '#shared/sql/columnUnits.ts'
import { exit, soleAction, type CliCommand } from '../command.ts'
import { recordLines } from '../sheetLines.ts'
import { describeText as text } from '../text/terminalTexts.ts'
import { UsageError, unknownNameError } from '../usageError.ts'
import { tableName } from './tables.ts'

/** Writes the units that differ by venue below the table, each venue on its own line. */
const unitLines = (described: readonly SqlDictionaryColumn[]): string[] =>
  described
    .filter(({ units }) => differsByVenue(units))
    .flatMap(({ name, units }) => ['', `${name}:`, ...units.split(', ').map((unit) => `  ${unit}`)])

const columns = [
  column<SqlDictionaryColumn>('column', 'Column', 'text', ({ name }) => name),
  column<SqlDictionaryColumn>('type', 'Type', 'text', ({ type }) => type),
  column<SqlDictionaryColumn>('unit', 'Unit', 'text', ({ units }) => shortUnits(units) || null),
  column<SqlDictionaryColumn>('description', 'Description', 'text', ({ label, description }) => description || label),
]

/** Finds the table with this name; its schema may be left out if only one table has the name. */
function tableNamed(typed: string, views: SqlDictionary['views']): SqlDictionary['views'][number] {
  const wanted = typed.toLowerCase()
  const exact = views.filter((view) => tableName(view).toLowerCase() === wanted)
  const found = exact.length > 0 ? exact : views.filter(({ name }) => name.toLowerCase() === wanted)
  if (found.length > 1) throw new UsageError(text.several(typed, found.map(tableName)))
  const known = wanted.includes('.')
    ? views.map(tableName)
    : [...views.map(({ name }) => name), ...views.map(tableName)]
  if (found.length === 0) throw unknownNameError('table', typed, known)
  return found[0]
}

export const command: CliCommand = {
  verb: 'describe',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope describe metrics.flow', 'perpscope describe ohlcv --json'],
  actions: [
    soleAction({
      summary: text.summary,
      args: [{ name: 'TABLE', description: text.args.TABLE }],
      readsOnly: true,
      async run({ client, args, out, signal }) {
        const { views } = await (await client()).call('sql.dictionary', {}, { signal })
        const view = tableNamed(args[0], views)
        const rows = view.columns.map(({ name, type, units, label, description }) => ({
          column: name,
          type,
          unit: units || null,
          description: description || label,
        }))
        out.result(rows, () => [...recordLines(columns, view.columns), ...unitLines(view.columns)])
        out.note([`${tableName(view)}: ${text.count(rows.length)}.`, view.description].filter(Boolean).join(' '))
        return exit.done
      },
    }),
  ],
}
