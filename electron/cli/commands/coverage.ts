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
  summary: 'show which raw events exist: first and last day, days, missing days',
  description: [
    'From the catalog of raw events of the connection. A number of missing days says that days are missing somewhere between first and last, not where. Answers from the cache where that is not older than a day, or offline.',
    'With --json one document {"learned", "coverage": [{"dataset", "exchange", "symbol", "first", "last", "days", "missing"}]}; learned says when and from where it came.',
  ],
  examples: ['perpscope coverage --dataset trades --exchange venuea-futures', 'perpscope coverage --json'],
  actions: [
    action({
      name: '',
      summary: 'show the coverage',
      options: {
        dataset: { type: 'text', value: 'DATASET', description: 'This raw dataset only.' },
        exchange: { type: 'text', value: 'VENUE', description: 'This venue only.' },
        symbol: { type: 'text', value: 'SYMBOL', description: 'This symbol only.' },
        refresh: { type: 'flag', description: 'Read the catalog again, however fresh the cache is.' },
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
