import { isDeepStrictEqual } from 'node:util'
import { AppError } from '#shared/contract/errors.ts'
import type { ServedUnit } from '#shared/catalog/servedUnits.ts'
import {
  EVENTS_COLUMN,
  knownDayOf,
  knownDelayUs,
  ownDatasetId,
  type OwnOwner,
  type OwnTiming,
  SINCE_COLUMN,
} from '#shared/formula/ownData.ts'
import type { DayNumber } from '#shared/time/periods.ts'
import type { Database } from './database.ts'
import type { RowArrivals } from './rowArrivals.ts'

/** How the times of the files were written: as instants, or as whole numbers of a unit since 1970. */
export type OwnTimeUnit = 'instant' | 's' | 'ms' | 'us'

/** What the user chose when adding files; absent where the files decide. */
export interface OwnChoices {
  time?: string | undefined
  symbol?: string | undefined
  exchange?: string | undefined
  interval?: string | undefined
  isEvents: boolean
  knownAfter: string
  units: Readonly<Record<string, string>>
  label?: string | undefined
  columns?: readonly string[] | undefined
}

/** How a dataset is made of files. */
export interface OwnRecipe {
  /** Paths as the user gave them: files or folders. */
  paths: readonly string[]
  choices: OwnChoices
}

export interface OwnSourceFile {
  path: string
  bytes: number
  sha256: string
  modifiedAtMs: number
}

/** A column, or the one value that stands for all rows. */
type OwnPlace = { column: string } | { value: string } | null

/** Everything that is known of an own dataset. */
export interface OwnRecord extends OwnTiming, OwnRecipe {
  time: { column: string; unit: OwnTimeUnit }
  symbol: OwnPlace
  exchange: OwnPlace
  columns: readonly { name: string; unit: string | null }[]
  label: string | null
  rows: number
  duplicates: number
  firstTimeUs: number | null
  lastTimeUs: number | null
  owners: readonly OwnOwner[]
  /** Columns that are not numbers whole, each with the sentence that names its first such cell. */
  leftOut: readonly { name: string; why: string }[]
  files: readonly OwnSourceFile[]
  /** Titles of the reports that read the dataset, the last ones made. */
  reports?: readonly string[]
  /** Recipe from the documents folder, if it is not the one that the rows were made by; the next refresh follows it. */
  recipe?: OwnRecipe
}

/** Returns the recipe that the next refresh of a dataset follows. */
export const recipeOf = ({ recipe, paths, choices }: OwnRecord): OwnRecipe => recipe ?? { paths, choices }

/** A file with the rows of a month, sorted by owner and time. */
export interface OwnPart {
  month: string
  sha256: string
  bytes: number
  rows: number
  /** Owners in the order of their rows, each with its number of rows. */
  owners: readonly { owner: number; rows: number }[]
  /** Where its file is, if it is not in the folder of its dataset. */
  path?: string
}

export interface OwnDataset {
  name: string
  record: OwnRecord
  changedAtMs: number
}

/** A dataset as it was, with its parts. */
export interface OwnVersion extends OwnDataset {
  parts: readonly OwnPart[]
}

/** Returns the day at whose end the last row is known; null without rows. */
export const lastKnownDay = ({ lastTimeUs, ...timing }: OwnRecord): DayNumber | null =>
  lastTimeUs === null ? null : knownDayOf(lastTimeUs + knownDelayUs(timing))

/** Returns the last day of which no row is to come after the last one; null without rows. */
export const lastWholeDay = ({ lastTimeUs, ...timing }: OwnRecord): DayNumber | null =>
  lastTimeUs === null ? null : knownDayOf(lastTimeUs + knownDelayUs(timing) + (timing.intervalMs ?? 0) * 1000) - 1

export interface OwnDataStore {
  list(): OwnDataset[]
  find(name: string): OwnDataset | null
  /** Throws if there is none. */
  read(name: string): OwnDataset
  parts(name: string): OwnPart[]
  /**
   * Replaces a dataset and its parts in one transaction, within which `place` moves the files to where they belong.
   * @param how `new` to refuse a name that is there; else the days at whose end a row is known that changed
   */
  keep(
    dataset: OwnDataset,
    parts: readonly OwnPart[],
    how: 'new' | { changedDays: readonly DayNumber[] },
    place: () => void,
  ): void
  /** Remembers how the next refresh makes a dataset, or a dataset whose rows are not here yet. */
  follow(name: string, recipe: OwnRecipe): void
  /** Returns a text that changes with the datasets. */
  revision(): string
  /** Remembers that a report read a dataset. */
  noteReport(name: string, title: string): void
  remove(name: string, removeFiles: () => void): void
  /** Runs work while no process can keep or remove a dataset. */
  exclusively(work: () => void): void
  /** Lists every instrument that a service offers or that is cached. */
  knownInstruments(): { exchange: string; symbol: string }[]
}

/** Number of reports that a dataset remembers. */
const MOST_REPORTS = 20

export function createOwnDataStore({ writes, reads }: Database, arrivals: RowArrivals): OwnDataStore {
  const parsed = ({ name, record, changedAtMs }: { name: string; record: string; changedAtMs: number }) => ({
    name,
    record: JSON.parse(record) as OwnRecord,
    changedAtMs,
  })
  const select = 'SELECT name, record, changed_at_ms AS changedAtMs FROM own_datasets'
  const find = (name: string) => {
    const row = writes.first<{ name: string; record: string; changedAtMs: number }>(`${select} WHERE name = ?`, name)
    return row ? parsed(row) : null
  }
  const saveRecord = (name: string, record: OwnRecord) =>
    void writes.run('UPDATE own_datasets SET record = ? WHERE name = ?', JSON.stringify(record), name)
  return {
    list: () => reads.all<{ name: string; record: string; changedAtMs: number }>(`${select} ORDER BY name`).map(parsed),
    find,
    read(name) {
      const found = find(name)
      if (found) return found
      throw new AppError('not-found', `There is no dataset ${name} of your own; data list names those that there are.`)
    },
    parts: (name) =>
      writes
        .all<Omit<OwnPart, 'owners'> & { owners: Uint8Array }>(
          'SELECT month, sha256, bytes, rows, owners FROM own_parts WHERE name = ? ORDER BY month',
          name,
        )
        .map((row) => ({ ...row, owners: unpackOwners(row.owners) })),
    keep({ name, record, changedAtMs }, parts, how, place) {
      writes.inTransaction(() => {
        if (how === 'new' && find(name)) throw takenError(name)
        place()
        writes.run('DELETE FROM own_parts WHERE name = ?', name)
        writes.run(
          `INSERT INTO own_datasets (name, record, changed_at_ms) VALUES (?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET record = excluded.record, changed_at_ms = excluded.changed_at_ms`,
          ...[name, JSON.stringify(record), changedAtMs],
        )
        for (const { month, sha256, bytes, rows, owners } of parts)
          writes.run(
            'INSERT INTO own_parts (name, month, sha256, bytes, rows, owners) VALUES (?, ?, ?, ?, ?, ?)',
            ...[name, month, sha256, bytes, rows, packOwners(owners)],
          )
        const toDay = lastKnownDay(record)
        const changedDays = how === 'new' ? [] : how.changedDays
        if (toDay !== null) arrivals.note(ownDatasetId(name), { toDay, changedDays }, changedAtMs)
      })
    },
    follow(name, recipe) {
      writes.inTransaction(() => {
        const found = find(name)
        if (!found) {
          const record = JSON.stringify(recordWithoutRows(recipe))
          writes.run('INSERT INTO own_datasets (name, record, changed_at_ms) VALUES (?, ?, ?)', name, record, 0)
          return
        }
        const { recipe: _, ...record } = found.record
        const { paths, choices } = record
        const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(recipe)), { paths, choices })
        saveRecord(name, isSame ? record : { ...record, recipe })
      })
    },
    revision: () =>
      JSON.stringify(
        reads.first(
          'SELECT count(*) AS count, max(changed_at_ms) AS changedAtMs, sum(length(record)) AS bytes FROM own_datasets',
        ),
      ),
    noteReport(name, title) {
      writes.inTransaction(() => {
        const record = find(name)?.record
        if (!record) return
        const reports = [...(record.reports ?? []).filter((each) => each !== title), title].slice(-MOST_REPORTS)
        saveRecord(name, { ...record, reports })
      })
    },
    remove(name, removeFiles) {
      writes.inTransaction(() => {
        writes.run('DELETE FROM own_parts WHERE name = ?', name)
        writes.run('DELETE FROM own_datasets WHERE name = ?', name)
        removeFiles()
      })
    },
    exclusively: (work) => writes.inTransaction(work),
    knownInstruments: () => reads.all('SELECT exchange, symbol FROM symbols UNION SELECT exchange, symbol FROM series'),
  }
}

/** Describes a dataset of which only the recipe has come to this machine. */
const recordWithoutRows = (recipe: OwnRecipe): OwnRecord => ({
  ...recipe,
  ...{ intervalMs: null, knownAfterMs: 0 },
  time: { column: recipe.choices.time ?? 'time', unit: 'instant' },
  ...{ symbol: null, exchange: null, columns: [], label: null },
  ...{ rows: 0, duplicates: 0, firstTimeUs: null, lastTimeUs: null, owners: [], leftOut: [], files: [] },
})

/** Lists the units that the user gave to the columns of a dataset, and those of what counts its events. */
export function unitsOfOwn({ name, record }: Pick<OwnDataset, 'name' | 'record'>): ServedUnit[] {
  const counts = [
    { name: EVENTS_COLUMN, unit: 'events' },
    { name: SINCE_COLUMN, unit: 'none' },
  ]
  return [...record.columns, ...counts].flatMap(({ name: column, unit }) =>
    unit === null ? [] : [{ dataset: ownDatasetId(name), column, unit }],
  )
}

/** Puts earlier versions in the place of the datasets of their names. */
export function withVersions(ownData: OwnDataStore, versions: readonly OwnVersion[]): OwnDataStore {
  if (versions.length === 0) return ownData
  const byName = new Map(versions.map((version) => [version.name, version]))
  return {
    ...ownData,
    list: () => [...ownData.list().filter(({ name }) => !byName.has(name)), ...versions],
    find: (name) => byName.get(name) ?? ownData.find(name),
    read: (name) => byName.get(name) ?? ownData.read(name),
    parts: (name) => [...(byName.get(name)?.parts ?? ownData.parts(name))],
  }
}

export const takenError = (name: string): AppError =>
  new AppError(
    'conflict',
    `There is already a dataset ${name} of your own; data refresh ${name} reads its files again, data remove ${name} removes it.`,
  )

const packOwners = (owners: OwnPart['owners']): Uint8Array =>
  new Uint8Array(Int32Array.from(owners.flatMap(({ owner, rows }) => [owner, rows])).buffer)

function unpackOwners(bytes: Uint8Array): OwnPart['owners'] {
  const numbers = new Int32Array(bytes.slice().buffer)
  return Array.from({ length: numbers.length / 2 }, (_, at) => ({ owner: numbers[2 * at], rows: numbers[2 * at + 1] }))
}
