import { coverageText as text } from '../text/commands.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'
import { dayOf } from '#shared/time.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { freshnessNote } from '../learned.ts'
import { seriesIn, unknownName } from '../names.ts'
import { tableLines } from '../print.ts'

const heads = ['DATASET', 'EXCHANGE', 'SYMBOL', 'FIRST', 'LAST', 'DAYS', 'MISSING']

export const command: Command = {
  verb: 'coverage',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope coverage --dataset trades --exchange venuea-futures', 'perpscope coverage --json'],
  actions: [
    action({
      name: '',
      summary: text.run.summary,
      options: {
        dataset: { type: 'text', value: 'DATASET', description: text.run.options.dataset },
        exchange: { type: 'text', value: 'VENUE', description: text.run.options.exchange },
        symbol: { type: 'text', value: 'SYMBOL', description: text.run.options.symbol },
        refresh: { type: 'flag', description: text.run.options.refresh },
      },
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const { id: connectionId } = await findConnection(core, connection)
        const { dataset, exchange, symbol, refresh } = options
        const input = { connectionId, dataset, exchange, symbol, refresh }
        const { rows, freshness } = await core.call('discovery.coverage', input, { signal })
        const records = recordsOf(rows)
        out.result({ learned: freshness, coverage: records }, () =>
          tableLines([heads, ...records.map((record) => Object.values(record).map(String))]),
        )
        if (records.length === 0) {
          const all = await core.call('discovery.coverage', { connectionId }, { signal })
          const unknown = unknownName('The catalog of raw events has', seriesIn(all.rows), {
            dataset,
            exchange,
            symbol,
          })
          out.note(unknown ?? 'Nothing matches.')
        }
        out.note(freshnessNote(freshness))
        const { catalog } = await core.call('discovery.rawCatalog', { connectionId }, { signal })
        if (catalog.problems.length > 0)
          out.note(`Not all of the catalog is as documented: ${catalog.problems.join('; ')}.`)
        return exit.done
      },
    }),
  ],
}

/** Rows as objects, in the order of the columns; days as `YYYY-MM-DD`. */
function recordsOf(frame: Frame): Record<string, string | number | null>[] {
  return Array.from({ length: frame.rows }, (_, row) =>
    Object.fromEntries(
      frame.columns.map((column) => {
        const cell = cellOf(column, row)
        return [column.name, column.kind === 'time' && typeof cell === 'number' ? dayOf(cell) : cell]
      }),
    ),
  )
}
