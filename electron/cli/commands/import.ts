import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { venues } from '#shared/catalog/venues.ts'
import type { InspectedFile } from '#shared/contract/areas/raw.ts'
import { placeFindings } from '#shared/contract/placeFindings.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { action, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { createImportReport } from '../importReport.ts'
import { UsageError } from '../usageError.ts'

/** Files taken in with one call: what ended is told before the next ones begin. */
const AT_ONCE = 16

const importAction = action({
  name: '',
  summary: 'take raw-event files into the cache',
  interrupted: 'files taken in so far stay, and the same command goes on with the others.',
  args: [{ name: 'PATH', description: 'Parquet files, or folders with some inside.', many: true, path: true }],
  options: {
    dataset: {
      type: 'text',
      value: 'D',
      values: rawDatasets.map(({ id }) => id),
      description: 'The raw dataset; else by the columns.',
    },
    exchange: { type: 'text', value: 'V', values: venues, description: 'The venue; else by the path.' },
    symbol: { type: 'text', value: 'S', description: 'The symbol, as perpetual-BTC-USDT:USDT; else by the path.' },
  },
  async run({ app, client, args, connection, options, out, signal }) {
    const { dataset, exchange, symbol } = options
    if (symbol !== undefined && !parseSymbol(symbol))
      throw new UsageError(`--symbol must be like perpetual-BTC-USDT:USDT, not “${symbol.slice(0, 60)}”.`)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const report = createImportReport(out)
    const paths = args.map((path) => resolve(path))
    for (const path of paths) if (!existsSync(path)) report.missing(path)
    await (await app()).receiveFiles(paths)
    const given = { ...(dataset && { dataset }), ...(exchange && { exchange }), ...(symbol && { symbol }) }
    const onProgress = ({ done, total }: Progress) =>
      out.progress({ done: Math.round(done / 1e6), total: Math.ceil((total ?? 0) / 1e6), message: 'MB looked at' })
    const { files, others } = await core.call('raw.inspect', given, { signal, onProgress })
    if (others > 0) out.note(`${others} files whose names do not end in .parquet were left out.`)
    const placed = files.map(withPlaceFindings)
    for (const file of placed) if (!isGood(file)) report.refused(file)
    const wanted = placed.filter(isGood)
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      out.progress({ done: at, total: wanted.length, message: 'files taken in' })
      const some = wanted.slice(at, at + AT_ONCE)
      const named = some.map(({ id, exchange, symbol }) => ({ id, exchange: exchange!, symbol: symbol! }))
      const { files: outcomes } = await core.call('raw.import', { connectionId, files: named }, { signal })
      some.forEach((file, index) => report.ended(file, outcomes[index]))
    }
    return report.end()
  },
})

const isGood = ({ findings }: InspectedFile) => !findings.some(({ level }) => level === 'error')

/** What cannot be read has no place to be wrong about. */
function withPlaceFindings(file: InspectedFile): InspectedFile {
  const { rows, dataset, exchange, symbol, hasTimeKind, findings } = file
  if (rows === null) return file
  return { ...file, findings: [...placeFindings(dataset, exchange, symbol, hasTimeKind), ...findings] }
}

export const command: Command = {
  verb: 'import',
  summary: 'take raw-event files into the cache',
  description: [
    'Looks at each Parquet file: its dataset by its columns, its venue, symbol and day by its path and its events. What is not as it should be is said file by file; a file is taken in whole or not at all. A file that is here already is not copied again.',
    'With --json, one line a file: {"file", "dataset", "exchange", "symbol", "period", "state", "bytes", "rows", "path", "warnings", "error"}, state being imported, cached, conflict (another file of the same day is here) or failed; the last line is {"summary":{…}}.',
    'Status 3 where only a part came in; 1 where nothing did.',
  ],
  examples: [
    'perpscope import raw/2026-09-01.parquet --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT',
    'perpscope import capture/dataset=trades',
  ],
  actions: [importAction],
}
