import { createHash } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'
import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import type { BlendData, ComponentTable, TickerTable } from '#shared/lab/kinds/blend/blendWeights.ts'
import { type BlendSource, type BlendStudy, sourceName } from '#shared/lab/kinds/blend/fields.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { readTickerFile } from '#shared/portfolio/book/ownFile.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import type { LedgerInput } from '#core/store/ledger/ledgerEntry.ts'
import type { KeptRuns } from './keptWeights.ts'
import type { OwnFiles } from './ownFiles.ts'
import type { ServedTables } from './servedTables.ts'

interface BlendDataDeps {
  served: ServedTables
  runs: KeptRuns
  own: OwnFiles
  /** Folder of the document, to which paths are relative; null if there is none, and undefined if no file may be read. */
  folder: string | null | undefined
}

const MAX_FILE_BYTES = MOST_LIST_CHARACTERS * 4

/** Finds everything that a blend is computed from. */
export async function blendData(study: BlendStudy, deps: BlendDataDeps): Promise<BlendData> {
  const components = await Promise.all(
    study.components.map(({ from }, at) => componentTable(from, `components[${at}].from`, deps)),
  )
  const tickers = [...new Set(components.flatMap((each) => each.tickers))].sort()
  const prices = study.prices === null ? tableOf(await deps.served.prices(tickers)) : deps.own.prices(study.prices)
  return untilEnd(study, {
    components,
    universe: await universeOf(study, deps),
    overlay: await overlayOf(study, deps),
    prices,
  })
}

const tableOf = ({ days, columns, values }: HistoryMatrix): TickerTable => ({ days, tickers: columns, values })

async function componentTable(from: BlendSource, path: string, deps: BlendDataDeps): Promise<ComponentTable> {
  const { served, runs, own } = deps
  const name = `${path}: ${sourceName(from)}`
  if ('factor' in from) return { ...tableOf(await served.factor(from.factor, name)), isHistory: false }
  if ('file' in from) return { ...fileTable(from.file, path, deps), isHistory: false }
  if ('test' in from) return { ...runs.testWeights(from.test), isHistory: true }
  if ('weights' in from) return { ...own.weights(from.weights), isHistory: true }
  const { portfolio, smoothing, exchange } = from
  const request: HistoryRequest = {
    endpoint: 'history',
    portfolio,
    ...(smoothing !== null && { smoothing }),
    exchange,
  }
  return { ...tableOf(await served.history(request, name)), isHistory: true }
}

function fileTable(file: string, path: string, { folder }: BlendDataDeps): TickerTable {
  if (folder === undefined) throw new StudyError(path, 'files are read only by the window and the command line.')
  if (folder === null && !isAbsolute(file)) throw new StudyError(path, `${file} is not a whole path.`)
  const bytes = readSmallBytes(resolve(folder ?? '/', file), MAX_FILE_BYTES)
  return readTickerFile({ file, text: decodeText(bytes) }, 'value')
}

async function universeOf({ members }: BlendStudy, { served }: BlendDataDeps): Promise<TickerTable | null> {
  if (!members) return null
  const size = String(members.size) as '20' | '30' | '40'
  return tableOf(await served.history({ endpoint: 'universe', size, exchange: members.exchange }, 'members'))
}

async function overlayOf({ overlay }: BlendStudy, { served }: BlendDataDeps): Promise<BlendData['overlay']> {
  if (!overlay) return null
  const request: HistoryRequest =
    overlay.portfolio === null
      ? { endpoint: 'regime', overlay: overlay.overlay }
      : { endpoint: 'overlay', portfolio: overlay.portfolio, overlay: overlay.overlay }
  const { days, values } = await served.history(request, `overlay.overlay: ${overlay.overlay}`)
  return { days, values }
}

/** Leaves out the days after the range, and those of components before it, so that later data changes no input. */
function untilEnd({ start, end }: BlendStudy, { components, universe, overlay, prices }: BlendData): BlendData {
  const [first, last] = [dayNumberOf(start), dayNumberOf(end)]
  return {
    components: components.map((each) => ({ ...rowsWithin(each, first, last), isHistory: each.isHistory })),
    universe: universe && rowsWithin(universe, -Infinity, last),
    overlay: overlay && rowsWithin({ ...overlay, tickers: [''] }, -Infinity, last),
    prices: rowsWithin(prices, -Infinity, last),
  }
}

function rowsWithin({ days, tickers, values }: TickerTable, first: number, last: number): TickerTable {
  const from = days.findIndex((day) => day >= first)
  const after = days.findIndex((day) => day > last)
  const [start, end] = [from < 0 ? days.length : from, after < 0 ? days.length : after]
  return {
    days: days.slice(start, end),
    tickers,
    values: values.slice(start * tickers.length, end * tickers.length),
  }
}

/** Describes what a blend read, for the ledger. */
export function blendInputs(study: BlendStudy, { components, universe, overlay, prices }: BlendData): LedgerInput[] {
  return [
    ...study.components.map(({ from }, at) => inputOf(sourceName(from), components[at])),
    ...(universe ? [inputOf('universe', universe)] : []),
    ...(overlay ? [inputOf('overlay', { ...overlay, tickers: [] })] : []),
    inputOf('prices', prices),
  ]
}

function inputOf(name: string, { days, tickers, values }: TickerTable): LedgerInput {
  const hash = createHash('sha256').update(JSON.stringify(tickers))
  for (const part of [days, values]) hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength))
  return { name, sha256: hash.digest('hex'), bytes: days.byteLength + values.byteLength }
}
