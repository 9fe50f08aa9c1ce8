import { parseSymbol } from '#shared/catalog/symbols.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { wholeTimeUnits } from '#shared/time/wholeTimes.ts'
import type { StoredFileColumn } from '#core/store/storedJson.ts'
import { originOf, type QuerySlice } from './queryFiles.ts'
import type { SqlColumn, SqlTable } from './tableCatalog.ts'

const quoteText = (value: string): string => `'${value.replaceAll("'", "''")}'`
const quoteName = (column: string): string => `"${column.replaceAll('"', '""')}"`

/** Names of DuckDB's virtual columns; a file with such a column is read separately. */
const virtualNames = new Set(['file_index', 'file_row_number', 'filename', 'file_number'])

/** Files that one part of a view reads; all have the same columns and need the same filters. */
interface FileGroup {
  files: QuerySlice[]
  columns: readonly StoredFileColumn[]
  /** True if the files may have rows that must not be used. */
  isSliced: boolean
  /** True if a file may have several rows with the same time. */
  hasDuplicates: boolean
  /** True if a row may have no time; to leave out such rows, the time of every row is read. */
  mayLackTimes: boolean
  /** Names, in lower case, of the columns whose statistics must not be used. */
  doubtfulNames: Set<string>
}

/** A column of a view. A column that no document names keeps the type that its files give it: its type is null. */
interface ViewColumn {
  name: string
  type: SqlColumn['type'] | null
  /** Type of the column if there are no files. */
  emptyType: SqlColumn['type']
}

/** Lists the columns that a view has in addition to the table's columns, in the order in which the files have them. */
function extraColumns(table: SqlTable, lists: readonly (readonly StoredFileColumn[])[]): ViewColumn[] {
  const tableColumnNames = new Set(table.columns.map((column) => column.name.toLowerCase()))
  const namesByKey = new Map<string, string>()
  const storedTypesByKey = new Map<string, Set<string>>()
  for (const [name, storedType] of lists.flat()) {
    const key = name.toLowerCase()
    if (tableColumnNames.has(key)) continue
    if (!namesByKey.has(key)) namesByKey.set(key, name)
    storedTypesByKey.set(key, (storedTypesByKey.get(key) ?? new Set<string>()).add(storedType))
  }
  return [...namesByKey].map(([key, name]) => {
    const storedTypes = [...storedTypesByKey.get(key)!]
    return { name, type: extraType(storedTypes), emptyType: emptyTypes[storedTypes[0]] ?? 'DOUBLE' }
  })
}

const isNumberType = (type: SqlColumn['type']) => type === 'DOUBLE' || type === 'BIGINT'

/**
 * Returns the type to which an undocumented column is converted; null if all files have the same type, which stays. The
 * engine fails if it has to combine types that do not belong together, so what is not a number everywhere becomes text.
 */
function extraType(storedTypes: readonly string[]): SqlColumn['type'] | null {
  if (storedTypes.every((type) => type.startsWith('timestamp'))) return 'TIMESTAMP'
  if (storedTypes.length === 1) return storedTypes[0] === 'text' ? 'VARCHAR' : null
  if (storedTypes.every((type) => type === 'int32' || type === 'int64')) return 'BIGINT'
  return storedTypes.every((type) => numberTypes.has(type)) ? 'DOUBLE' : 'VARCHAR'
}

const numberTypes: ReadonlySet<string> = new Set(['boolean', 'int32', 'int64', 'float', 'double'])

/** Types of undocumented columns if there are no files. */
const emptyTypes: Partial<Record<string, SqlColumn['type']>> = {
  text: 'VARCHAR',
  int64: 'BIGINT',
  boolean: 'BOOLEAN',
}

interface ViewFiles {
  table: SqlTable
  /**
   * Columns that the query may need, in lower case; null for all. The view has no others, because DuckDB binds every
   * column of a view, even an unused one.
   */
  columnNames: readonly string[] | null
  files: readonly QuerySlice[]
  columnsOf(slice: QuerySlice): readonly StoredFileColumn[]
  /** Column lists of the connection's files of the dataset if the query describes the view; otherwise empty. */
  describedLists: readonly (readonly StoredFileColumn[])[]
}

/** Writes the statement that creates the view of a dataset over a list of files. */
export function viewStatement({ table, columnNames, files, columnsOf, describedLists }: ViewFiles): string {
  const groups = groupsOf(table, columnNames, files, columnsOf)
  const extra = extraColumns(table, [...groups.map(({ columns }) => columns), ...describedLists])
  const allColumns: ViewColumn[] = [...table.columns.map((column) => ({ ...column, emptyType: column.type })), ...extra]
  const namedColumns = allColumns.filter(
    (column) => columnNames === null || columnNames.includes(column.name.toLowerCase()),
  )
  // A view needs at least one column, even if the query only counts its rows.
  const columns = namedColumns.length > 0 ? namedColumns : allColumns.slice(0, 1)
  const emptySelect = `SELECT ${columns.map((each) => `NULL::${each.type ?? each.emptyType} AS ${quoteName(each.name)}`).join(', ')} WHERE false`
  const parts = groups.map((group) => selectOf(table, columns, group))
  return `CREATE VIEW ${table.schema}.${quoteName(table.name)} AS ${[...parts, ...(parts.length === 0 ? [emptySelect] : [])].join('\nUNION ALL ')}`
}

function groupsOf(
  table: SqlTable,
  columnNames: readonly string[] | null,
  files: readonly QuerySlice[],
  columnsOf: (slice: QuerySlice) => readonly StoredFileColumn[],
): FileGroup[] {
  const groups = new Map<string, FileGroup>()
  files.forEach((slice, at) => {
    const columns = columnsOf(slice)
    const isSliced = needsSlice(table, slice)
    const hasDuplicates = table.rows === 'metrics' && slice.file.duplicateTimes > 0
    const mayLackTimes = table.rows === 'metrics' && !hasAllTimes(slice, columns)
    const isAlone = columns.some(([column]) => virtualNames.has(column.toLowerCase()))
    const doubtfulNames = doubtfulNamesOf(table, columnNames, slice, columns)
    const key = `${textOf(columns)} ${isSliced} ${hasDuplicates} ${mayLackTimes} ${doubtfulNames.size > 0} ${isAlone ? at : ''}`
    const group = groups.get(key)
    if (!group)
      return groups.set(key, { files: [slice], columns, isSliced, hasDuplicates, mayLackTimes, doubtfulNames })
    group.files.push(slice)
    for (const name of doubtfulNames) group.doubtfulNames.add(name)
  })
  return [...groups.values()]
}

/** Returns the columns of a file that a query may use, in lower case, whose statistics must not be used. */
function doubtfulNamesOf(
  table: SqlTable,
  columnNames: readonly string[] | null,
  { file: { doubtfulColumns } }: QuerySlice,
  columns: readonly StoredFileColumn[],
): Set<string> {
  if (doubtfulColumns === '') return new Set()
  const doubtful =
    doubtfulColumns === null ? columns : doubtfulColumns.split(',').flatMap((at) => columns.slice(+at, +at + 1))
  const names = doubtful.map(([column]) => column.toLowerCase())
  return new Set(
    names.filter((name) => columnNames === null || columnNames.includes(name) || name === timeColumn(table)),
  )
}

/** Column lists as text, by the list's object, which all files with the same list share. */
const textByColumns = new WeakMap<readonly StoredFileColumn[], string>()

function textOf(columns: readonly StoredFileColumn[]): string {
  const text = textByColumns.get(columns) ?? JSON.stringify(columns)
  textByColumns.set(columns, text)
  return text
}

const hasAllTimes = ({ file }: QuerySlice, columns: readonly StoredFileColumn[]): boolean =>
  columns[0]?.[0] === 'time' && file.isFirstColumnComplete === 1

/**
 * Tells whether a file may have rows that must not be used, because another file covers their time or they are outside
 * the period.
 */
function needsSlice(table: SqlTable, { file, startMs, endMs }: QuerySlice): boolean {
  const coversPeriod = startMs === file.startDay * MS_PER_DAY && endMs === file.endDay * MS_PER_DAY
  if (!coversPeriod) return true
  if (table.rows === 'raw') return false
  const { firstTimeMs, lastTimeMs } = file
  return firstTimeMs === null || lastTimeMs === null || firstTimeMs < startMs || lastTimeMs >= endMs
}

/** Returns facts about a file as SQL expressions, by the names of their columns in the joined list of files. */
function factsOf(table: SqlTable, { file, startMs, endMs }: QuerySlice): Record<string, string> {
  const base = parseSymbol(file.symbol)?.base
  return {
    exchange: quoteText(file.exchange),
    symbol: quoteText(file.symbol),
    base: base === undefined ? 'NULL::VARCHAR' : quoteText(base),
    ...(table.rows === 'metrics' && {
      interval: quoteText(file.interval),
      clock: quoteText(file.timestamp),
      origin: quoteText(originOf(file)),
      seconds: String(parseInterval(file.interval) ?? 0),
    }),
    starts: String(startMs * 1000),
    ends: String(endMs * 1000),
  }
}

/** Selects the rows of one group of files. Facts that differ between the files are joined by file number. */
function selectOf(table: SqlTable, columns: readonly ViewColumn[], group: FileGroup): string {
  const facts = group.files.map((file) => factsOf(table, file))
  const differingKeys = Object.keys(facts[0]).filter((key) => facts.some((each) => each[key] !== facts[0][key]))
  const neededKeys = differingKeys.filter((key) => group.isSliced || (key !== 'starts' && key !== 'ends'))
  const fact = (key: string) => (neededKeys.includes(key) ? `f.${quoteName(key)}` : facts[0][key])
  const inFile = new Map(
    group.columns.map(([column, type]) => [column.toLowerCase(), { column, type, cell: storedCell(group, column) }]),
  )
  const time = timeOf(table, inFile)
  const storedTime = inFile.get(timeColumn(table))
  const cells = columns.map((column) => `${cellOf(table, column, { fact, inFile, time })} AS ${quoteName(column.name)}`)
  const paths = group.files.map(({ path }) => quoteText(path)).join(', ')
  const options = `hive_partitioning = false${group.hasDuplicates ? ', file_row_number = true' : ''}`
  const scan = `read_parquet([${paths}], ${options})`
  // Binding a column of `*` takes as long as reading about a thousand values, so `*` is selected only for file numbers.
  const hasFileIndex = neededKeys.length > 0 || group.hasDuplicates
  const source = `${hasFileIndex ? `(SELECT *, file_index FROM ${scan})` : scan} AS r`
  const rows = facts.map((each, at) => `(${[at, ...neededKeys.map((key) => each[key])].join(', ')})`)
  const filesJoin =
    neededKeys.length === 0
      ? ''
      : ` JOIN (VALUES ${rows.join(', ')}) AS f(file, ${neededKeys.map(quoteName).join(', ')}) ON f.file = r.file_index`
  const conditions = [
    ...(group.mayLackTimes ? [`${storedTime?.cell ?? time} IS NOT NULL`] : []),
    ...(group.isSliced
      ? [`${microsOf(table, inFile)} >= ${fact('starts')}`, `${microsOf(table, inFile)} < ${fact('ends')}`]
      : []),
  ]
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  // If several rows of a metric file have the same time, the last one counts, as everywhere in the app.
  const lastOnly = ` QUALIFY row_number() OVER (PARTITION BY r.file_index, ${time} ORDER BY r.file_row_number DESC) = 1`
  return `SELECT ${cells.join(', ')} FROM ${source}${filesJoin}${where}${group.hasDuplicates ? lastOnly : ''}`
}

/** Columns of a file by name in lower case, each with the expression that reads its values. */
type StoredColumns = ReadonlyMap<string, StoredColumn>

interface StoredColumn {
  column: string
  type: string
  cell: string
}

/**
 * Writes the expression that reads the values of a column. DuckDB applies the statistics of a file only to columns and
 * to expressions whose bounds it can compute; of `least`, which with one argument returns it unchanged, it computes
 * none. Conditions on such an expression are still evaluated while the file is read.
 */
function storedCell({ doubtfulNames }: FileGroup, column: string): string {
  const cell = `r.${quoteName(column)}`
  return doubtfulNames.has(column.toLowerCase()) ? `least(${cell})` : cell
}

const timeColumn = ({ rows }: SqlTable) => (rows === 'raw' ? 'exchange_timestamp' : 'time')

function timeOf(table: SqlTable, storedColumns: StoredColumns): string {
  const found = storedColumns.get(timeColumn(table))
  return found ? asTimestamp(table, found) : 'NULL::TIMESTAMP'
}

const asTimestamp = (table: SqlTable, { cell, type }: StoredColumn): string =>
  type.startsWith('timestamp')
    ? `make_timestamp(epoch_us(${cell}))`
    : `make_timestamp(CAST(${wholeMicros(table, cell)} AS BIGINT))`

/**
 * Writes the expression for the microseconds of a time that is stored as a whole number: of a metric file milliseconds;
 * of an event, which should have a timestamp, what its size says.
 */
function wholeMicros({ rows }: SqlTable, cell: string): string {
  const whole = `CAST(${cell} AS HUGEINT)`
  if (rows !== 'raw') return `${whole} * 1000`
  const cases = wholeTimeUnits.map(({ below, us }) => `WHEN abs(${whole}) < ${below} THEN ${whole} * ${us}`)
  return `(CASE ${cases.join(' ')} ELSE ${whole} // 1000 END)`
}

/** Writes the expression for a row's time in microseconds, which is compared without conversion to a timestamp. */
function microsOf(table: SqlTable, storedColumns: StoredColumns): string {
  const found = storedColumns.get(timeColumn(table))
  if (!found) return 'NULL::BIGINT'
  const { cell, type } = found
  return type.startsWith('timestamp') ? `epoch_us(${cell})` : wholeMicros(table, cell)
}

function cellOf(
  table: SqlTable,
  { name: column, type, emptyType }: ViewColumn,
  { fact, inFile, time }: { fact: (key: string) => string; inFile: StoredColumns; time: string },
): string {
  if (table.rows === 'metrics') {
    if (column === 'time') return time
    if (column === 'known_at') return `${time} + to_seconds(${fact('seconds')})`
  }
  const factColumns =
    table.rows === 'metrics'
      ? ['exchange', 'symbol', 'base', 'interval', 'clock', 'origin']
      : ['exchange', 'symbol', 'base']
  if (factColumns.includes(column)) return fact(column)
  const found = inFile.get(column.toLowerCase())
  // DuckDB gives a column without a type the one that it has in other files.
  if (!found) return type === null ? 'NULL' : `NULL::${type}`
  // DuckDB knows a nested column only by the name of its outer part, whose value cannot become a number.
  if (found.type === 'other' && found.column.includes('.')) return `NULL::${type ?? emptyType}`
  const { cell } = found
  if (type === null) return cell
  if (type === 'TIMESTAMP') return found.type === 'text' ? 'NULL::TIMESTAMP' : asTimestamp(table, found)
  // CAST would fail the whole query for a date, a UUID or another value that is no number.
  if (isNumberType(type))
    return found.type === 'text' || found.type.startsWith('timestamp')
      ? `NULL::${type}`
      : `TRY_CAST(${found.type === 'other' ? nearestOf(cell) : cell} AS ${type})`
  return `CAST(${cell} AS ${type})`
}

/**
 * Writes the expression for the number nearest to a decimal. DuckDB's cast of decimals of more than 18 digits rounds
 * twice; that of their text rounds once.
 */
const nearestOf = (cell: string): string =>
  `if(regexp_matches(typeof(${cell}), '^DECIMAL.(19|2.|3.),'), TRY_CAST(CAST(${cell} AS VARCHAR) AS DOUBLE), TRY_CAST(${cell} AS DOUBLE))`
