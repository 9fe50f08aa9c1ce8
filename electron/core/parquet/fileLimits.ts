import type { FileMetaData, LogicalType, PageHeader, ParquetType, SchemaElement } from 'hyparquet'

/**
 * Limits on the claims of a valid file, given its size. A file that exceeds one is refused before memory is allocated
 * for its claims. Each limit is far above what the services send and below what a machine can handle.
 */

/** Maximum number of columns. The widest metric file has 37; some work grows with the square of this number. */
const MOST_COLUMNS = 4096
const DEEPEST_SCHEMA = 32
/** Rows that any file may have whatever its size, because a few million constant rows take a few hundred bytes. */
const FREE_ROWS = 2_000_000
/**
 * Maximum number of rows per byte of the file, beyond the free ones. Trades take at least 5 bytes per row; an index
 * price that hardly moves takes one.
 */
const ROWS_PER_BYTE = 4
/** Maximum number of rows in a file, because a whole column is held in memory as doubles. */
const MOST_ROWS = 250_000_000
/** Average length of texts that is always plausible. */
const TEXT_BYTES = 64
/** Plausible bytes per compressed byte of a page whose texts are longer than `TEXT_BYTES` on average. */
const TEXT_BYTES_PER_BYTE = 64
/** Bytes that any page may have whatever its number of values. */
const PAGE_SLACK_BYTES = 64 * 1024
/**
 * Values that a dictionary may have whatever the number of rows, because some writers put all names of a category into
 * each dictionary.
 */
const FREE_DICTIONARY_VALUES = 2 ** 16

/** Returns the largest plausible number of rows in a file of this size if its period sets no limit. */
export const plausibleRows = (sizeBytes: number): number => Math.min(MOST_ROWS, FREE_ROWS + ROWS_PER_BYTE * sizeBytes)

/** The claims of a footer about one column in a row group; the fields have the names of the Parquet format. */
export interface ClaimedChunk {
  type: ParquetType
  /** Number of names in the path of the column; above 1 for a nested column. */
  path_length: number
  num_values: number
  total_uncompressed_size: number
  total_compressed_size: number
  data_page_offset: number
  dictionary_page_offset: number | undefined
}

/** Checks that the claims of a footer are consistent and within the file. @returns its row groups */
export function checkFooter<Chunk extends ClaimedChunk>(
  { schema, num_rows: rows }: Pick<FileMetaData, 'schema' | 'num_rows'>,
  groups: readonly { rows: number; chunks: readonly (Chunk | null)[] }[],
  sizeBytes: number,
): { rows: number; chunks: Chunk[] }[] {
  const leaves = checkSchema(schema)
  let sum = 0
  const checkedGroups = groups.map(({ chunks, rows: groupRows }) => {
    const rowsOfGroup = checkedCount(groupRows, MOST_ROWS, 'rows')
    sum += rowsOfGroup
    if (chunks.length !== leaves.length) throw new Error('a row group’s columns differ from those of the file')
    const checkedChunks = chunks.map((chunk, index) => {
      if (!chunk) throw new Error('a column chunk has no data of its own')
      checkChunk(chunk, leaves[index], rowsOfGroup, sizeBytes)
      return chunk
    })
    return { rows: rowsOfGroup, chunks: checkedChunks }
  })
  if (sum > MOST_ROWS || checkedCount(Number(rows), MOST_ROWS, 'rows') !== sum)
    throw new Error('its row groups do not add up')
  return checkedGroups
}

/**
 * Checks the schema elements, which must form one tree.
 * @returns its leaves, which have values
 */
function checkSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  const leaves: SchemaElement[] = []
  let at = 0
  const walk = (depth: number): void => {
    const element = schema.at(at++)
    if (!element || depth > DEEPEST_SCHEMA) throw new Error('its columns do not form a tree')
    const children = element.num_children ?? 0
    if (!(children >= 0 && children <= schema.length)) throw new Error('its columns do not form a tree')
    if (children === 0 && depth > 0) leaves.push(element)
    for (let child = 0; child < children; child++) walk(depth + 1)
  }
  walk(0)
  if (at !== schema.length) throw new Error('its columns do not form a tree')
  if (leaves.length > MOST_COLUMNS) throw new Error(`it has more than ${MOST_COLUMNS} columns`)
  if (leaves.some(({ type }) => type === undefined)) throw new Error('a column has no type')
  for (const leaf of leaves) checkAnnotations(leaf)
  return leaves
}

export const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL'

export const isUnsigned = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted?.startsWith('UINT_') === true || (logical?.type === 'INTEGER' && !logical.isSigned)

const byteStrings: readonly ParquetType[] = ['BYTE_ARRAY']
const decimals: readonly ParquetType[] = ['INT32', 'INT64', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY']
const fixedBytes: readonly ParquetType[] = ['FIXED_LEN_BYTE_ARRAY']
const int32: readonly ParquetType[] = ['INT32']
const int64: readonly ParquetType[] = ['INT64']

/** The physical types that a converted type may annotate. */
const typesByConverted: Readonly<Record<string, readonly ParquetType[]>> = {
  UTF8: byteStrings,
  ENUM: byteStrings,
  JSON: byteStrings,
  BSON: byteStrings,
  DECIMAL: decimals,
  INTERVAL: fixedBytes,
  DATE: int32,
  TIME_MILLIS: int32,
  TIME_MICROS: int64,
  TIMESTAMP_MILLIS: int64,
  TIMESTAMP_MICROS: int64,
  INT_8: int32,
  INT_16: int32,
  INT_32: int32,
  INT_64: int64,
  UINT_8: int32,
  UINT_16: int32,
  UINT_32: int32,
  UINT_64: int64,
}

/** Returns the physical types that a logical type may annotate; undefined if it may annotate any. */
function typesOfLogical(logical: LogicalType): readonly ParquetType[] | undefined {
  switch (logical.type) {
    case 'STRING':
    case 'ENUM':
    case 'JSON':
    case 'BSON':
      return byteStrings
    case 'DECIMAL':
      return decimals
    case 'DATE':
      return int32
    case 'TIME':
      return logical.unit === 'MILLIS' ? int32 : int64
    case 'TIMESTAMP':
      return int64
    case 'INTEGER':
      return logical.bitWidth === 64 ? int64 : int32
    case 'UUID':
    case 'FLOAT16':
      return fixedBytes
    default:
      return undefined
  }
}

/**
 * Checks that the values of a column can be what its converted type says, and removes a logical type that its values
 * cannot have; Arrow and DuckDB refuse the file in the first case and ignore the logical type in the second.
 */
function checkAnnotations(element: SchemaElement): void {
  const { type, converted_type: converted, logical_type: logical } = element
  if (type === undefined) return
  const canBe = (types: readonly ParquetType[] | undefined) => types === undefined || types.includes(type)
  if (!canBe(typesByConverted[converted ?? ''])) throw new Error(`a column of ${type} claims to be ${converted}`)
  if (logical && !canBe(typesOfLogical(logical))) delete element.logical_type
  if (isDecimal(element)) checkDigits(element)
}

function checkDigits({ precision, scale, logical_type: logical }: SchemaElement): void {
  const [digits = 0, decimals = 0] =
    logical?.type === 'DECIMAL' ? [logical.precision, logical.scale] : [precision, scale]
  if (!(digits >= 1 && decimals >= 0 && decimals <= digits))
    throw new Error(`a decimal claims to have ${digits} digits, ${decimals} of them after the point`)
}

function checkChunk(chunk: ClaimedChunk, element: SchemaElement, groupRows: number, sizeBytes: number): void {
  if (chunk.type !== element.type) throw new Error('a column chunk’s type differs from its column’s')
  if (chunk.path_length > DEEPEST_SCHEMA) throw new Error('its columns do not form a tree')
  const valueCount = checkedCount(chunk.num_values, MOST_ROWS, 'values')
  if (chunk.path_length === 1 && element.repetition_type !== 'REPEATED' && valueCount !== groupRows)
    throw new Error('a column’s number of rows differs from its row group’s')
  // Writers leave the places of the pages open where there are none.
  if (groupRows === 0) return
  const length = checkedCount(chunk.total_compressed_size, sizeBytes, 'bytes')
  checkedCount(chunk.total_uncompressed_size, Number.MAX_SAFE_INTEGER, 'bytes')
  const dataOffset = checkedCount(chunk.data_page_offset, sizeBytes, 'bytes')
  const dictionaryOffset = checkedCount(chunk.dictionary_page_offset ?? 0, sizeBytes, 'bytes')
  const start = dictionaryOffset > 0 ? Math.min(dictionaryOffset, dataOffset) : dataOffset
  if (start + length > sizeBytes) throw new Error('its footer points outside the file')
}

function checkedCount(claimed: number, most: number, unit: string): number {
  if (claimed < 0 || claimed > most) throw new Error(`it claims ${claimed} ${unit}`)
  return claimed
}

/** The column chunk of a page, and how much of it is left from that page on. */
export interface PagePlace {
  chunk: Pick<ClaimedChunk, 'type'>
  /** Length of the values of a fixed-length type. */
  valueBytes: number
  /** Compressed bytes left in the chunk. */
  bytesLeft: number
  /** Rows of the group that no page has contained yet. */
  rowsLeft: number
}

/**
 * Checks the sizes and counts of a page against what is left of its chunk, before decompressing.
 * @returns number of rows in a data page, or of values in a dictionary
 */
export function checkPage(header: PageHeader, { chunk, valueBytes, bytesLeft, rowsLeft }: PagePlace): number {
  const { compressed_page_size: compressed, uncompressed_page_size: uncompressed } = header
  if (!(compressed >= 0 && compressed <= bytesLeft)) throw new Error('a page ends too late')
  const isDictionary = header.type === 'DICTIONARY_PAGE'
  const valueCount = countOf(header)
  if (!(valueCount >= 0)) throw new Error('a page claims a negative number of values')
  checkEncoding(header, chunk.type)
  if (!isDictionary && valueCount > rowsLeft) throw new Error('pages have more rows than their row group')
  if (isDictionary && valueCount > Math.max(rowsLeft, FREE_DICTIONARY_VALUES))
    throw new Error('a dictionary has more values than there are rows')
  if (!(uncompressed >= 0 && uncompressed <= plausibleBytes(chunk.type, valueBytes, valueCount, compressed)))
    throw new Error(`a page claims ${uncompressed} bytes for ${valueCount} values`)
  checkLevels(header)
  return valueCount
}

const encodingsOfIntegers = ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'DELTA_BINARY_PACKED', 'BYTE_STREAM_SPLIT']
const encodingsOfDoubles = ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT']

/** Encodings that the values of each physical type may have. */
const encodingsByType: Readonly<Record<ParquetType, readonly string[]>> = {
  BOOLEAN: ['PLAIN', 'RLE'],
  INT32: encodingsOfIntegers,
  INT64: encodingsOfIntegers,
  INT96: ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY'],
  FLOAT: encodingsOfDoubles,
  DOUBLE: encodingsOfDoubles,
  BYTE_ARRAY: ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY'],
  FIXED_LEN_BYTE_ARRAY: ['PLAIN', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY', 'DELTA_BYTE_ARRAY', 'BYTE_STREAM_SPLIT'],
}
const encodingsOfDictionaries = ['PLAIN', 'PLAIN_DICTIONARY']

/**
 * Checks that the encoding of a page is one that values of its type can have. DuckDB does not check this: it would read
 * memory beyond the page.
 */
function checkEncoding(header: PageHeader, type: ParquetType): void {
  const { dictionary_page_header: dictionary, data_page_header: page, data_page_header_v2: pageV2 } = header
  if (header.type === 'INDEX_PAGE') return
  const isDictionary = header.type === 'DICTIONARY_PAGE'
  const encoding = (isDictionary ? dictionary : header.type === 'DATA_PAGE' ? page : pageV2)?.encoding
  const possible = isDictionary ? encodingsOfDictionaries : encodingsByType[type]
  if (encoding === undefined || !possible.includes(encoding))
    throw new Error(`a page of ${type} values has encoding ${encoding ?? 'of unknown number'}`)
}

function countOf(header: PageHeader): number {
  const {
    type,
    data_page_header: dataPage,
    data_page_header_v2: dataPageV2,
    dictionary_page_header: dictionary,
  } = header
  if (type === 'DATA_PAGE' && dataPage) return dataPage.num_values
  if (type === 'DATA_PAGE_V2' && dataPageV2) return dataPageV2.num_values
  if (type === 'DICTIONARY_PAGE' && dictionary) return dictionary.num_values
  if (type === 'INDEX_PAGE') return 0
  throw new Error('a page has no header of its kind')
}

function checkLevels(header: PageHeader): void {
  const page = header.data_page_header_v2
  if (header.type !== 'DATA_PAGE_V2' || !page) return
  const {
    definition_levels_byte_length: definition,
    repetition_levels_byte_length: repetition,
    num_nulls: nulls,
  } = page
  if (!(definition >= 0 && repetition >= 0)) throw new Error('levels end before they begin')
  const levels = definition + repetition
  if (levels > header.compressed_page_size || levels > header.uncompressed_page_size)
    throw new Error('levels end too late')
  if (!(nulls >= 0 && nulls <= page.num_values)) throw new Error('a page claims more nulls than values')
}

const widthByType: Partial<Record<ParquetType, number>> = {
  BOOLEAN: 1,
  INT32: 4,
  FLOAT: 4,
  INT64: 8,
  DOUBLE: 8,
  INT96: 12,
}

/**
 * Returns the largest plausible size of a decompressed page: every encoding of numbers stays below twice their width.
 */
function plausibleBytes(type: ParquetType, valueBytes: number, values: number, compressed: number): number {
  if (type === 'BYTE_ARRAY')
    return PAGE_SLACK_BYTES + Math.max((TEXT_BYTES + 4) * values, TEXT_BYTES_PER_BYTE * compressed)
  return PAGE_SLACK_BYTES + 2 * (widthByType[type] ?? valueBytes) * values + values
}

/** Maximum number of values in a block of deltas; writers use 128. */
const LARGEST_BLOCK = 2 ** 16

/**
 * Checks the blocks of DELTA_BINARY_PACKED before decoding, which trusts their content: numbers must have a bounded
 * length, widths must be at most 64 bits, and miniblocks must lie within the bytes.
 */
export function checkDeltaBlocks(bytes: Uint8Array, start: number, values: number): void {
  let at = start
  const readByte = () => {
    if (at >= bytes.length) throw new Error('differences end too early')
    return bytes[at++]
  }
  const readVarint = (longest: number) => {
    let value = 0
    for (let index = 0; index < longest; index++) {
      const part = readByte()
      value += (part & 0x7f) * 2 ** (7 * index)
      if (part < 0x80) return value
    }
    throw new Error('a number is longer than any can be')
  }
  const blockValues = readVarint(5)
  const miniblocks = readVarint(5)
  readVarint(5)
  readVarint(10)
  const miniblockValues = blockValues / miniblocks
  if (blockValues < 1 || blockValues > LARGEST_BLOCK || !Number.isInteger(miniblockValues) || miniblockValues % 8 !== 0)
    throw new Error('differences come in blocks of a size that no writer uses')
  for (let done = 1; done < values;) {
    readVarint(10)
    const widthsAt = at
    at += miniblocks
    if (at > bytes.length) throw new Error('differences end too early')
    for (let index = 0; index < miniblocks && done < values; index++, done += miniblockValues) {
      const width = bytes[widthsAt + index]
      if (width > 64) throw new Error('a difference is wider than any number')
      // The last miniblock may end after its last value.
      const neededBytes = Math.ceil((Math.min(miniblockValues, values - done) * width) / 8)
      if (at + neededBytes > bytes.length) throw new Error('differences end too early')
      at += (miniblockValues * width) / 8
    }
  }
}
