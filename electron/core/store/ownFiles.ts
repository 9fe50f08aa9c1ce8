import { ownDatasetId, type OwnOwner, ownerOf, ownNameOf } from '#shared/formula/ownData.ts'
import { intervalName, MS_PER_DAY } from '#shared/time.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { FileStore } from './fileStore.ts'
import type { CachedFile, FileFacts } from './fileTable.ts'
import type { OwnDataset, OwnDataStore, OwnPart } from './ownDataStore.ts'
import { ownPartPath } from './partitions.ts'
import type { OwnedSeries } from './seriesIndex.ts'

/** Returns the range of labels of a month, in microseconds. */
export function labelsOfMonth(name: string): { startUs: number; endUs: number } {
  const [, year, month] = /^(.*)-(\d\d)$/.exec(name)!
  const startOf = (monthIndex: number) => {
    const date = new Date(0)
    date.setUTCFullYear(Number(year), monthIndex, 1)
    return date.getTime() * 1000
  }
  return { startUs: startOf(Number(month) - 1), endUs: startOf(Number(month)) }
}

/**
 * Adds the files of own datasets to those of services: the series of an own dataset beside an instrument has the rows
 * that stand beside it, in parts of files that other instruments share.
 */
export function withOwnFiles(files: FileStore, ownData: OwnDataStore, root: string): FileStore {
  const datasetOf = ({ dataset }: OwnedSeries): OwnDataset | null => {
    const name = ownNameOf(dataset)
    return name === null ? null : ownData.find(name)
  }
  return {
    ...files,
    ofSeries(series, startDay, endDay) {
      const dataset = datasetOf(series)
      return dataset
        ? ownFiles(ownData, root, dataset, { series, startDay, endDay })
        : files.ofSeries(series, startDay, endDay)
    },
    withContent: (sha256) => [...files.withContent(sha256), ...partsWithContent(ownData, root, new Set(sha256))],
    facts(series, period) {
      const dataset = datasetOf(series)
      if (!dataset) return files.facts(series, period)
      const { owners } = dataset.record
      const part = ownData.parts(dataset.name).find(({ month }) => month === period)
      const own = part?.owners.find(({ owner }) => owner === ownerOf(owners, series))
      return part && own ? factsOf(dataset, part, own.rows) : undefined
    },
  }
}

/** Series whose rows are those of an owner as the files write it; the names that they lack are empty. */
function ownedSeries({ name, record }: OwnDataset, { exchange, symbol }: OwnOwner, connectionId: string): OwnedSeries {
  const interval = record.intervalMs === null ? '' : intervalName(record.intervalMs)
  const names = { exchange: exchange ?? '', symbol: symbol ?? '', interval, timestamp: '' }
  return { connectionId, kind: 'metrics', dataset: ownDatasetId(name), ...names }
}

/** Lists the files of an own dataset for each of its owners. */
export const filesOfOwners = (
  { ownData, folder }: { ownData: OwnDataStore; folder: { root: string } },
  dataset: OwnDataset,
  connectionId: string,
): CachedFile[] =>
  dataset.record.owners.flatMap((owner, code) =>
    filesOfOwner(ownData, folder.root, dataset, code, ownedSeries(dataset, owner, connectionId)),
  )

/** Lists the files of own datasets that have some content; they are of no one owner. */
const partsWithContent = (ownData: OwnDataStore, root: string, wanted: ReadonlySet<string>): CachedFile[] =>
  ownData.list().flatMap((dataset) =>
    ownData
      .parts(dataset.name)
      .filter(({ sha256 }) => wanted.has(sha256))
      .map((part) => {
        const series = ownedSeries(dataset, { exchange: null, symbol: null }, '')
        return fileOfPart(root, dataset, part, { series, rows: { from: 0, to: part.rows } })
      }),
  )

interface WantedDays {
  series: OwnedSeries
  startDay: DayNumber
  endDay: DayNumber
}

function ownFiles(
  ownData: OwnDataStore,
  root: string,
  dataset: OwnDataset,
  { series, startDay, endDay }: WantedDays,
): CachedFile[] {
  const wanted = ownerOf(dataset.record.owners, series)
  if (wanted < 0) return []
  return filesOfOwner(ownData, root, dataset, wanted, series).filter(
    (file) => file.endDay > startDay && file.startDay < endDay,
  )
}

function filesOfOwner(
  ownData: OwnDataStore,
  root: string,
  dataset: OwnDataset,
  owner: number,
  series: OwnedSeries,
): CachedFile[] {
  return ownData.parts(dataset.name).flatMap((part) => {
    const at = part.owners.findIndex((each) => each.owner === owner)
    if (at < 0) return []
    const from = part.owners.slice(0, at).reduce((sum, { rows }) => sum + rows, 0)
    return fileOfPart(root, dataset, part, { series, rows: { from, to: from + part.owners[at].rows } })
  })
}

function fileOfPart(
  root: string,
  { name, changedAtMs }: OwnDataset,
  part: OwnPart,
  { series, rows }: { series: OwnedSeries; rows: { from: number; to: number } },
): CachedFile {
  const { startUs, endUs } = labelsOfMonth(part.month)
  return {
    series,
    period: part.month,
    startDay: startUs / 1000 / MS_PER_DAY,
    endDay: endUs / 1000 / MS_PER_DAY,
    state: 'final',
    origin: 'import',
    sizeBytes: part.bytes,
    sha256: part.sha256,
    etag: null,
    fetchedAtMs: changedAtMs,
    usedAtMs: changedAtMs,
    pinned: false,
    changedUpstreamAtMs: null,
    own: { path: ownPartPath(root, name, part), rows },
  }
}

function factsOf({ record }: OwnDataset, { month }: OwnPart, rows: number): FileFacts {
  const { startUs, endUs } = labelsOfMonth(month)
  const column = (name: string, type: string) => ({ name, type, nulls: rows, min: null, max: null })
  return {
    rows,
    firstTimeMs: startUs / 1000,
    lastTimeMs: endUs / 1000 - (record.intervalMs ?? 1),
    stepMs: record.intervalMs,
    duplicateTimes: record.intervalMs === null ? 1 : 0,
    columns: [
      column('time', 'timestamp[us, UTC]'),
      ...(record.label === null ? [] : [column(record.label, 'text')]),
      ...record.columns.map(({ name }) => column(name, 'double')),
    ],
  }
}
