import { failureText, noteText } from '../text/messages.ts'
import { coverageText as text } from '../text/commands.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import { soleAction, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { freshnessNote } from '../freshnessNote.ts'
import { seriesIn, unknownNameMessage } from '../names.ts'
import { tableLines } from '../print.ts'
import { formatBytes } from '../sizes.ts'
import { chosenPairs, membershipTest, listOption, refuseListAndSymbol } from '../symbolLists.ts'

const heads = ['DATASET', 'EXCHANGE', 'SYMBOL', 'FIRST', 'LAST', 'DAYS', 'MISSING', 'SIZE', 'GAPS']

export const command: Command = {
  verb: 'coverage',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope coverage --dataset trades --exchange VENUE', 'perpscope coverage --json'],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        dataset: { type: 'text', value: 'DATASET', description: text.run.options.dataset },
        exchange: { type: 'text', value: 'VENUE', description: text.run.options.exchange },
        symbol: { type: 'text', value: 'SYMBOL', description: text.run.options.symbol },
        list: listOption,
        refresh: { type: 'flag', description: text.run.options.refresh },
      },
      async run({ client, connection, options, out, signal }) {
        refuseListAndSymbol(options)
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const isChosen = membershipTest(
          options.list === undefined ? [] : await chosenPairs(core, connectionId, options, out),
        )
        const { dataset, exchange, symbol, refresh } = options
        const input = { connectionId, dataset, exchange, symbol, refresh }
        const { rows, freshness } = await core.call('discovery.coverage', input, { signal })
        const records = recordsOf(rows).filter(
          (each) =>
            options.list === undefined || isChosen({ exchange: String(each.exchange), symbol: String(each.symbol) }),
        )
        out.result({ learned: freshness, coverage: records }, () =>
          tableLines([heads, ...records.map((record) => Object.entries(record).map(cellText))]),
        )
        if (records.length === 0) {
          const everything = await core.call('discovery.coverage', { connectionId }, { signal })
          const unknownMessage = unknownNameMessage(failureText.rawCatalog, seriesIn(everything.rows), {
            dataset,
            exchange,
            symbol,
          })
          out.note(unknownMessage ?? noteText.nothingMatches)
        }
        out.note(freshnessNote(freshness))
        const { catalog } = await core.call('discovery.rawCatalog', { connectionId }, { signal })
        if (catalog.problems.length > 0) out.note(noteText.catalogProblems(catalog.problems))
        return exit.done
      },
    }),
  ],
}

type CoverageCell = string | number | null | { first: string; last: string }[]

/** Most ranges of missing days that the table lists for one series. */
const MOST_LISTED_GAPS = 4

function cellText([name, cell]: [string, CoverageCell]): string {
  if (cell === null) return '–'
  if (!Array.isArray(cell)) return name === 'bytes' ? formatBytes(Number(cell)) : String(cell)
  const listed = cell.slice(0, MOST_LISTED_GAPS).map(({ first, last }) => (first === last ? first : `${first}/${last}`))
  return listed.length < cell.length ? `${listed.join(' ')} …` : listed.join(' ')
}

function rangesIn(text: string): { first: string; last: string }[] {
  return text.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('/')
    return first === '' ? [] : { first, last }
  })
}

/** Turns rows into objects whose keys are in the order of the columns, with days as `YYYY-MM-DD`. */
function recordsOf(frame: Frame): Record<string, CoverageCell>[] {
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(
      frame.columns.map((column) => {
        const cell = cellOf(column, row)
        if (column.name === 'gaps' && typeof cell === 'string') return [column.name, rangesIn(cell)]
        return [column.name, column.kind === 'time' && typeof cell === 'number' ? dayOf(cell) : cell]
      }),
    ),
  )
}
