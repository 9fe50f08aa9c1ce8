import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventConditions, FileFinding } from '#shared/contract/areas/raw.ts'
import type { ParquetFile } from '#core/readers/parquetFile.ts'
import { DuplicateTally } from './duplicateTally.ts'
import { EventBatches } from './eventBatches.ts'
import { msOf, TimeTally } from './timeTally.ts'
import { ValueTally } from './valueTally.ts'

export interface ReadEvents {
  conditions: EventConditions
  /** Events of each UTC day of the venue's time, by its number. */
  days: ReadonlyMap<number, number>
  /** What in the rows is not as the catalog says. */
  findings: FileFinding[]
}

/** Reads all events of a file whose columns are as they should be. @param onRows told after each piece how many are read */
export function readConditions(
  file: ParquetFile,
  dataset: RawDatasetId,
  onRows: (rows: number) => void = () => {},
): ReadEvents {
  const batches = new EventBatches(file, dataset)
  const times = new TimeTally()
  const arrivals = new TimeTally()
  const duplicates = new DuplicateTally()
  const values = new ValueTally(dataset)
  const kinds = { modelledArrivals: 0, modelledTimes: 0 }
  const odd = { kinds: 0, sides: 0 }
  let rows = 0
  for (const batch of batches) {
    times.add(batch.timeUs, batch.rows)
    arrivals.add(batch.arrivalUs, batch.rows)
    duplicates.add(batch)
    values.add(batch, UNKNOWN_SIDE)
    kinds.modelledArrivals += countOf(batch.arrivalKind, batch.rows, MODELLED)
    odd.kinds += countFrom(batch.arrivalKind, batch.rows, KNOWN_KINDS)
    if (batch.timeKind) kinds.modelledTimes += countOf(batch.timeKind, batch.rows, MODELLED)
    if (batch.side) odd.sides += countFrom(batch.side, batch.rows, KNOWN_SIDES)
    rows += batch.rows
    onRows(rows)
  }
  const isTrades = dataset === 'trades'
  const isQuotes = dataset === 'quotes'
  return {
    conditions: {
      events: file.rows,
      firstMs: msOf(times.firstUs),
      lastMs: msOf(times.lastUs),
      firstArrivalMs: msOf(arrivals.firstUs),
      lastArrivalMs: msOf(arrivals.lastUs),
      longestSilenceMs: times.longestSilenceUs / 1000,
      silenceStartMs: times.silenceStartUs === null ? null : times.silenceStartUs / 1000,
      duplicates: duplicates.count,
      outOfOrder: times.outOfOrder,
      arrivalsOutOfOrder: arrivals.outOfOrder,
      crossedQuotes: isQuotes ? values.crossedQuotes : null,
      negativeSpreads: isQuotes ? values.negativeSpreads : null,
      zeroSizes: values.hasSizes ? values.zeroSizes : null,
      unknownSides: isTrades ? values.unknownSides : null,
      ...kinds,
      unusable: values.unusable,
    },
    days: times.days,
    findings: [
      ...counted(times.missing, 'without exchange_timestamp'),
      ...counted(arrivals.missing, 'without local_timestamp'),
      ...counted(
        odd.kinds,
        `with a local_timestamp_kind that is not measured or modelled${shown(batches.kinds.texts, KNOWN_KINDS)}`,
      ),
      ...counted(odd.sides, `with a side that is not buy, sell or unknown${shown(batches.sides.texts, KNOWN_SIDES)}`),
    ],
  }
}

/** Places in the dictionaries of the batches. */
const UNKNOWN_SIDE = 2
const KNOWN_SIDES = 3
const MODELLED = 1
const KNOWN_KINDS = 2

function countOf(codes: Uint8Array, rows: number, code: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) if (codes[row] === code) count++
  return count
}

function countFrom(codes: Uint8Array, rows: number, first: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) if (codes[row] >= first) count++
  return count
}

const counted = (count: number, message: string): FileFinding[] =>
  count === 0 ? [] : [{ level: 'error', message: `${count === 1 ? 'One row' : `${count} rows`} ${message}.` }]

const shown = (texts: readonly string[], known: number) =>
  texts.length > known
    ? ` (${texts
        .slice(known, known + 3)
        .map((text) => JSON.stringify(text.slice(0, 30)))
        .join(', ')})`
    : ''
