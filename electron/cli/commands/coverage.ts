import { failureText, noteText } from '../text/messages.ts'
import { coverageCommandText as text } from '../text/commands.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { coverageColumns } from '#shared/sheet/coverage.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { dayOf } from '#shared/time.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { freshnessNote } from '../freshnessNote.ts'
import { seriesIn, unknownNameMessage } from '../names.ts'
import { recordLines } from '../sheetLines.ts'
import { chosenPairs, listMembership, listOption, refuseListAndSymbol } from '../symbolLists.ts'

export const command: CliCommand = {
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
        symbol: { type: 'text', value: 'SYMBOL', symbols: 'listed', description: text.run.options.symbol },
        list: listOption,
        refresh: { type: 'flag', description: text.run.options.refresh },
      },
      readsOnly: true,
      async run({ client, connection, options, out, signal }) {
        refuseListAndSymbol(options)
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const isChosen = listMembership(
          options.list === undefined ? [] : await chosenPairs(core, connectionId, options, out),
        )
        const { dataset, exchange, symbol, refresh } = options
        const input = { connectionId, dataset, exchange, symbol, refresh }
        const { rows, freshness } = await core.call('discovery.coverage', input, { signal })
        const records = recordsOf(rows).filter(
          (each) =>
            options.list === undefined || isChosen({ exchange: String(each.exchange), symbol: String(each.symbol) }),
        )
        out.result({ learned: freshness, coverage: records }, () => recordLines(columns, records))
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
type CoverageRecord = Record<string, CoverageCell>

/** Most ranges of missing days that the table lists for one series. */
const MOST_LISTED_GAPS = 4

function gapsText(gaps: readonly { first: string; last: string }[]): string {
  const listed = gaps.slice(0, MOST_LISTED_GAPS).map(({ first, last }) => (first === last ? first : `${first}/${last}`))
  return `${listed.join(' ')}${listed.length < gaps.length ? ' …' : ''}`
}

const columns = [
  seriesColumns.dataset,
  seriesColumns.exchange,
  seriesColumns.symbol,
  ...Object.values(coverageColumns),
  { key: 'gaps', title: 'Gaps', kind: 'text' } as const,
].map((column) => ({
  ...column,
  value: (record: CoverageRecord) => {
    const cell = record[column.key]
    if (Array.isArray(cell)) return gapsText(cell)
    return column.kind === 'time' && typeof cell === 'string' ? Date.parse(cell) : cell
  },
}))

function rangesIn(text: string): { first: string; last: string }[] {
  return text.split(' ').flatMap((range) => {
    const [first, last = first] = range.split('/')
    return first === '' ? [] : { first, last }
  })
}

/** Turns rows into objects whose keys are in the order of the columns, with days as `YYYY-MM-DD`. */
function recordsOf(frame: Frame): CoverageRecord[] {
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
