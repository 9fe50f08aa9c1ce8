import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip, gzipSync } from 'node:zlib'
import Sqlite, { type Database as SqliteDatabase } from 'better-sqlite3'
import { documentKinds } from '#shared/contract/documents/documentKinds.ts'
import { AppError } from '#shared/contract/errors.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { createJsonCounter, JsonExcess } from '#shared/units/jsonLimits.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import { FILES_FOLDER, OWN_FOLDER, ownPartPath } from '../partitions.ts'
import { versionOf } from '../migrations/migration.ts'
import { areArrivals, type BackupArrivals, readArrivals } from './backupArrivals.ts'

const FORMAT = 'perpscope-backup'
const BACKUP_VERSION = 1
/** Beginning of every backup's content; anything else is refused before it is unpacked. */
const CONTENT_START = `{"format":"${FORMAT}"`
/**
 * Maximum size of a packed backup and of its content. Both are checked when a backup is made, so that each one can be
 * restored; a typical one has a few megabytes.
 */
export const backupLimits = { packedBytes: 2 ** 28, contentBytes: 400 * 10 ** 6 }

/** A value in a table; bytes are written as base64. */
type BackupValue = string | number | null | { base64: string }

interface BackupTable {
  name: string
  columns: string[]
  rows: BackupValue[][]
}

export interface BackupContent {
  /** Schema version of the tables. */
  schema: number
  tables: BackupTable[]
  /** Lines of the ledger; null if there was none. */
  ledger: string | null
  /** When files first came, so that a machine that is restored does not take for new what it had before. */
  arrivals?: BackupArrivals[]
  /** Rows of own datasets, by their path in the folder of own datasets; absent from a backup without data. */
  ownFiles?: { path: string; base64: string }[]
}

/** Table with what the files of own datasets are, which only a backup with data contains. */
const DATA_TABLE = 'own_parts'
const ownFilePattern = /^[a-z][a-z0-9_]{0,30}\/month=[+-]?\d{4,6}-\d\d\/[0-9a-f]{32}\.parquet$/

interface BackupDocument {
  format: typeof FORMAT
  version: number
  app: string
  /** Milliseconds since the epoch. */
  createdAt: number
  /** Hash of the JSON of `content`. */
  checksum: string
  content: BackupContent
}

/** Number of items in a backup, by kind. */
export type BackupItems = Record<string, number>

export interface BackupSummary {
  file: string
  bytes: number
  items: BackupItems
}

/**
 * Tables that a backup does not contain as they are, because their rows come from services or describe this machine's
 * cache; arrivals of files are packed. All other tables contain what the user made, so a table added later is included without being named here. The API keys
 * are in the keychain, not in a table.
 */
const excludedTables = new Set(
  `leases series files column_lists file_facts usual_sizes absences refusals documents symbols raw_coverage batches jobs
   job_counts batch_jobs parts holds portfolio_requests portfolio_columns portfolio_days portfolio_snapshots
   portfolio_lists portfolio_revisions bare_overlays raw_conditions file_times quality_results watch_figures
   document_files funding_evidence arrival_series first_arrivals`.split(/\s+/),
)

/**
 * Kinds of items that are not named like their table. If `countedColumn` is given, the distinct values of that column
 * are counted instead of the rows.
 */
const kindByTable: Readonly<Record<string, { kind: string; countedColumn?: string }>> = {
  user_documents: { kind: 'documents' },
  study_answers: { kind: 'labStudies' },
  download_sets: { kind: 'sets' },
  symbol_lists: { kind: 'lists', countedColumn: 'list' },
  quality_accepted: { kind: 'acceptedFindings' },
  lab_documents: { kind: 'labStudies' },
  sql_queries: { kind: 'queries' },
  sql_series: { kind: 'querySeries' },
  sql_history: { kind: 'ranQueries' },
  own_returns: { kind: 'returnsFiles' },
  own_datasets: { kind: 'ownDatasets' },
  own_parts: { kind: 'ownDatasetFiles' },
  funding_defaults: { kind: 'fundingPeriods' },
  order_rules: { kind: 'orderRules' },
  documents_folder: { kind: 'documentsFolder' },
  portfolio_ids: { kind: 'portfolioNames' },
  forward_scores: { kind: 'forwardScores' },
  engine_servers: { kind: 'engineServers' },
  engine_checks: { kind: 'engineChecks' },
}

/** Tables whose rows nobody counts: they say more of the items of other tables. */
const uncountedTables = new Set(['check_runs', 'study_answers', 'row_arrivals', 'row_changes'])

const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Lists the tables that a backup contains, and their columns in order. */
export const userTables = (database: SqliteDatabase): { name: string; columns: string[] }[] =>
  (
    database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid`)
      .all() as { name: string }[]
  )
    .filter(({ name }) => !excludedTables.has(name))
    .map(({ name }) => ({ name, columns: columnsOf(database, name) }))

export const columnsOf = (database: SqliteDatabase, table: string): string[] =>
  (database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table) as { name: string }[]).map(({ name }) => name)

function readTables(indexPath: string, withData: boolean): Pick<BackupContent, 'schema' | 'tables' | 'arrivals'> {
  const database = new Sqlite(indexPath, { readonly: true, timeout: 5000 })
  try {
    return database.transaction(() => ({
      schema: versionOf(database),
      tables: userTables(database)
        .filter(({ name }) => withData || name !== DATA_TABLE)
        .map(({ name, columns }) => {
          const select = `SELECT ${columns.map(quoteName).join(', ')} FROM ${quoteName(name)}`
          const rows = database.prepare(select).raw().all() as (string | number | null | Buffer)[][]
          return { name, columns, rows: rows.map((row) => row.map(toBackupValue)) }
        }),
      arrivals: readArrivals(database),
    }))()
  } finally {
    database.close()
  }
}

const toBackupValue = (value: string | number | null | Buffer): BackupValue =>
  Buffer.isBuffer(value) ? { base64: value.toString('base64') } : value

/**
 * Reads the complete lines of the ledger; null if there are none. A line that another process is still writing is left
 * out.
 */
function readLedger(dataDir: string): string | null {
  const path = join(dataDir, 'ledger.jsonl')
  if (!existsSync(path)) return null
  const text = readFileSync(path, 'utf8')
  return text.slice(0, text.lastIndexOf('\n') + 1) || null
}

/** Counts the items of a backup by kind. */
export function itemsOf({ tables, ledger }: BackupContent): BackupItems {
  const items = tables.flatMap((table): [string, number][] => {
    const { name, columns, rows } = table
    if (name === 'user_documents') return documentItems(table)
    if (uncountedTables.has(name)) return []
    const { kind = name, countedColumn } = kindByTable[name] ?? {}
    const column = countedColumn === undefined ? -1 : columns.indexOf(countedColumn)
    return [[kind, column < 0 ? rows.length : new Set(rows.map((row) => row[column])).size]]
  })
  return { ...Object.fromEntries(items), ledger: ledger === null ? 0 : ledger.split('\n').length - 1 }
}

function documentItems({ columns, rows }: BackupTable): [string, number][] {
  const column = columns.indexOf('kind')
  return Object.entries(documentKinds).map(([kind, { inBackups }]) => [
    inBackups,
    rows.filter((row) => row[column] === kind).length,
  ])
}

/** Reads the files of own datasets that the index lists. */
function readOwnFiles(dataDir: string, { tables }: Pick<BackupContent, 'tables'>): Required<BackupContent>['ownFiles'] {
  const { columns, rows } = tables.find(({ name }) => name === DATA_TABLE)!
  const [name, month, sha256] = ['name', 'month', 'sha256'].map((column) => columns.indexOf(column))
  const root = join(dataDir, FILES_FOLDER)
  return rows.map((row) => {
    const path = ownPartPath(root, String(row[name]), { month: String(row[month]), sha256: String(row[sha256]) })
    const inFolder = relative(join(root, OWN_FOLDER), path).replaceAll('\\', '/')
    return { path: inFolder, base64: readFileSync(path).toString('base64') }
  })
}

/**
 * Packs everything that the user made in a data folder, without the cache and the API keys.
 * @param withData true to pack the rows of own datasets too
 */
export function packBackup(
  dataDir: string,
  app: string,
  nowMs: number,
  limits = backupLimits,
  withData = false,
): { bytes: Buffer; items: BackupItems } {
  const tables = readTables(join(dataDir, 'perpscope.sqlite'), withData)
  const content: BackupContent = {
    ...tables,
    ledger: readLedger(dataDir),
    ...(withData && { ownFiles: readOwnFiles(dataDir, tables) }),
  }
  const checksum = checksumOf(content)
  const document: BackupDocument = {
    format: FORMAT,
    version: BACKUP_VERSION,
    app,
    createdAt: nowMs,
    checksum,
    content,
  }
  const bytes = gzipSync(textWithinLimits(document, limits.contentBytes))
  if (bytes.length > limits.packedBytes) throw excessError(content, formatBytes(bytes.length))
  return { bytes, items: itemsOf(content) }
}

/** Writes a backup's content; throws if it could not be restored. */
function textWithinLimits(document: BackupDocument, mostBytes: number): Buffer {
  const { tables, ledger, ownFiles = [], arrivals = [] } = document.content
  const size =
    tables.reduce((sum, table) => sum + sizeOf(table), ledger?.length ?? 0) +
    [...ownFiles, ...arrivals].reduce((sum, { base64 }) => sum + base64.length, 0)
  // A text beyond the longest one of the engine could not even be written.
  if (size > mostBytes) throw excessError(document.content, formatBytes(size))
  const text = Buffer.from(JSON.stringify(document))
  if (text.length > mostBytes) throw excessError(document.content, formatBytes(text.length))
  const excess = createJsonCounter().add(text)
  if (excess !== null) throw excessError(document.content, excess)
  return text
}

/** Counts the characters of a table's values. */
const sizeOf = ({ rows }: BackupTable): number =>
  rows.reduce(
    (sum, row) =>
      sum +
      row.reduce<number>(
        (rowSum, value) => rowSum + (typeof value === 'string' ? value.length : base64Length(value)),
        0,
      ),
    0,
  )

const base64Length = (value: BackupValue) => (typeof value === 'object' && value !== null ? value.base64.length : 8)

/** Says which items make a backup too large to be restored. */
function excessError({ tables }: BackupContent, found: string): AppError {
  const largest = tables.reduce((most, table) => (sizeOf(table) > sizeOf(most) ? table : most))
  const kind = kindByTable[largest.name]?.kind ?? largest.name
  return new AppError(
    'too-large',
    `No backup was made, because it could not be restored: it would have ${found}, and at most ` +
      `${formatBytes(backupLimits.contentBytes)} can be restored. Most of it is in ${kind} ` +
      `(${formatBytes(sizeOf(largest))}): remove some of them, then try again.`,
  )
}

const checksumOf = (content: BackupContent) => createHash('sha256').update(JSON.stringify(content)).digest('hex')

/**
 * Reads and validates a backup; throws an `AppError` that refers to the file as `name` and says what is wrong with it.
 */
export async function readBackup(path: string, name = path): Promise<{ content: BackupContent; bytes: number }> {
  const refusal = (problem: string) => new AppError('bad-input', `${name} ${problem}`)
  const packed = readSmallBytes(path, backupLimits.packedBytes)
  const document = await parseDocument(packed, refusal)
  if (document === null || document.format !== FORMAT) throw refusal('is not a Perpscope backup, or it is damaged.')
  if (typeof document.version !== 'number' || document.version > BACKUP_VERSION) {
    throw refusal(`was made by a newer Perpscope (${document.app ?? 'unknown'}); update this one first.`)
  }
  const { content } = document
  if (!isContent(content) || checksumOf(content) !== document.checksum) {
    throw refusal('is damaged: its content does not match its checksum.')
  }
  return { content, bytes: packed.length }
}

async function parseDocument(
  packed: Buffer,
  refusal: (problem: string) => AppError,
): Promise<Partial<BackupDocument> | null> {
  try {
    const found = JSON.parse(await unpack(packed)) as Partial<BackupDocument> | null
    return typeof found === 'object' ? found : null
  } catch (thrown) {
    if (thrown instanceof JsonExcess) throw refusal(`cannot be restored: ${thrown.message}.`)
    return null
  }
}

/** Unpacks a backup's content piece by piece, and stops at the first piece that cannot be part of one. */
async function unpack(packed: Buffer): Promise<string> {
  const counter = createJsonCounter()
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of Readable.from([packed]).pipe(
    createGunzip({ chunkSize: 2 ** 20 }),
  ) as AsyncIterable<Buffer>) {
    if (pieces.length === 0 && !piece.toString('latin1').startsWith(CONTENT_START)) throw new SyntaxError('no backup')
    pieces.push(piece)
    size += piece.length
    const excess = size > backupLimits.contentBytes ? `more than ${formatBytes(backupLimits.contentBytes)}` : null
    const problem = excess ?? counter.add(piece)
    if (problem !== null) throw new JsonExcess(problem)
  }
  return Buffer.concat(pieces).toString('utf8')
}

const isBackupValue = (value: unknown): value is BackupValue =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'number' ||
  (typeof value === 'object' && 'base64' in value && typeof value.base64 === 'string')

function isContent(content: BackupContent | null | undefined): content is BackupContent {
  return (
    typeof content === 'object' &&
    content !== null &&
    Number.isInteger(content.schema) &&
    (content.ledger === null || typeof content.ledger === 'string') &&
    (content.ownFiles ?? []).every(
      ({ path, base64 }) => typeof base64 === 'string' && ownFilePattern.test(String(path)),
    ) &&
    areArrivals(content.arrivals ?? []) &&
    Array.isArray(content.tables) &&
    content.tables.every(
      (table) =>
        typeof table === 'object' &&
        table !== null &&
        typeof table.name === 'string' &&
        Array.isArray(table.columns) &&
        table.columns.every((column) => typeof column === 'string') &&
        Array.isArray(table.rows) &&
        table.rows.every(
          (row) => Array.isArray(row) && row.length === table.columns.length && row.every(isBackupValue),
        ),
    )
  )
}

/** Inserts the rows of a backup into a new index of the same schema. */
export function fillTables(database: SqliteDatabase, tables: readonly BackupTable[]): void {
  const columnsByTable = new Map(userTables(database).map((table) => [table.name, table.columns]))
  database.transaction(() => {
    for (const { name, columns, rows } of tables.filter((table) => !excludedTables.has(table.name))) {
      const ownColumns = columnsByTable.get(name)
      if (!ownColumns || columns.some((column) => !ownColumns.includes(column))) {
        throw new AppError('bad-input', `The backup contains a table, ${name}, that this Perpscope does not know.`)
      }
      database.exec(`DELETE FROM ${quoteName(name)}`)
      const insert = database.prepare(
        `INSERT INTO ${quoteName(name)} (${columns.map(quoteName).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
      for (const row of rows) {
        try {
          insert.run(row.map(fromBackupValue))
        } catch (thrown) {
          throw new AppError('bad-input', `The backup contains a row of the table ${name} that cannot be stored.`, {
            cause: thrown,
          })
        }
      }
    }
  })()
}

const fromBackupValue = (value: BackupValue): string | number | null | Buffer =>
  typeof value === 'object' && value !== null ? Buffer.from(value.base64, 'base64') : value
