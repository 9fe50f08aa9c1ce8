import type { PageHeader, SchemaElement } from 'hyparquet'
import { describe, expect, it, test } from 'vitest'
import { visitRuns } from '#core/parquet/columnPages.ts'
import {
  checkDeltaBlocks,
  checkFooter,
  checkPage,
  type ClaimedChunk,
  type PagePlace,
  plausibleRows,
} from '#core/parquet/fileLimits.ts'
import { decodeDeltaBytes, cursorAt } from '#core/parquet/hyparquetInternals.ts'
import { checkFooterShape, checkPageHeaderShape } from '#core/parquet/thriftShape.ts'
import { type EncodedValue, i32, i64, list, struct, text, varint } from '../../fakes/hostileParquet.ts'

const bytesOf = (...parts: (number | Uint8Array)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))))

describe('a page', () => {
  const place: PagePlace = { chunk: { type: 'DOUBLE' }, valueBytes: 0, bytesLeft: 100, rowsLeft: 10 }
  const page = (claims: Partial<PageHeader> = {}, values = 10): PageHeader => ({
    ...{ type: 'DATA_PAGE', uncompressed_page_size: 80, compressed_page_size: 100 },
    data_page_header: {
      ...{ num_values: values, encoding: 'PLAIN', definition_level_encoding: 'RLE', repetition_level_encoding: 'RLE' },
    },
    ...claims,
  })
  const second = (claims: Partial<NonNullable<PageHeader['data_page_header_v2']>> = {}) =>
    page({
      type: 'DATA_PAGE_V2',
      data_page_header_v2: {
        ...{ num_values: 10, num_nulls: 0, num_rows: 10, encoding: 'PLAIN', is_compressed: false },
        ...{ definition_levels_byte_length: 0, repetition_levels_byte_length: 0 },
        ...claims,
      },
    })
  const dictionary = (values: number) =>
    page({ type: 'DICTIONARY_PAGE', dictionary_page_header: { num_values: values, encoding: 'PLAIN' } })

  test('within its limits has its number of values', () => {
    expect(checkPage(page(), place)).toBe(10)
    expect(checkPage(page({}, 0), place)).toBe(0)
    expect(checkPage(second({ num_nulls: 10, definition_levels_byte_length: 80 }), place)).toBe(10)
    expect(checkPage(page({ type: 'INDEX_PAGE' }), place)).toBe(0)
    // Some writers store all names of a category in each dictionary.
    const texts = { ...place, chunk: { type: 'BYTE_ARRAY' as const } }
    expect(checkPage(dictionary(65_536), texts)).toBe(65_536)
    expect(checkPage(dictionary(70_000), { ...texts, rowsLeft: 70_000 })).toBe(70_000)
  })

  test.each([
    ['of more bytes than are left', page({ compressed_page_size: 101 }), 'ends too late'],
    ['of a negative size', page({ compressed_page_size: -1 }), 'ends too late'],
    ['of a negative number of values', page({}, -1), 'negative number of values'],
    ['of more rows than are left', page({}, 11), 'more rows than their row group'],
    ['of more texts than any dictionary has', dictionary(65_537), 'a dictionary has more values'],
    ['of a negative size in memory', page({ uncompressed_page_size: -1 }), 'claims -1 bytes for 10 values'],
    ['without the header of its kind', { ...page(), type: 'DATA_PAGE_V2' as const }, 'no header of its kind'],
    ['of levels of negative length', second({ definition_levels_byte_length: -1 }), 'levels end before they begin'],
    [
      'of other levels of negative length',
      second({ repetition_levels_byte_length: -1 }),
      'levels end before they begin',
    ],
    [
      'of levels beyond its end',
      second({ definition_levels_byte_length: 60, repetition_levels_byte_length: 21 }),
      'levels end too late',
    ],
    ['of more nulls than values', second({ num_nulls: 11 }), 'more nulls than values'],
    ['of less than no nulls', second({ num_nulls: -1 }), 'more nulls than values'],
  ])('%s is refused', (_, header, why) => {
    expect(() => checkPage(header, place)).toThrow(why)
  })

  const room = 64 * 1024
  test.each([
    ['doubles', 'DOUBLE', 10, room + 170],
    ['32-bit numbers', 'INT32', 10, room + 90],
    ['values of a fixed length', 'FIXED_LEN_BYTE_ARRAY', 10, room + 610],
    ['many short texts', 'BYTE_ARRAY', 200, room + 68 * 200],
    ['few long texts', 'BYTE_ARRAY', 1, room + 64 * 100],
  ] as const)('of %s may have so many bytes in memory and no more', (_, type, values, most) => {
    const claiming = (size: number) => () =>
      checkPage(page({ uncompressed_page_size: size }, values), {
        ...place,
        chunk: { type },
        valueBytes: 30,
        rowsLeft: 1000,
      })
    expect(claiming(most)()).toBe(values)
    expect(claiming(most + 1)).toThrow(`claims ${most + 1} bytes`)
  })
})

/** Packs numbers as a writer does: each block has the width that its differences need. */
function packNumbers(values: readonly number[]): Uint8Array {
  const zigzag = (value: number) => varint(value < 0 ? -value * 2 - 1 : value * 2)
  const parts = [varint(128), varint(4), varint(values.length), zigzag(values[0])]
  const differences = values.slice(1).map((value, index) => value - values[index])
  for (let from = 0; from < differences.length; from += 128) {
    const block = differences.slice(from, from + 128)
    const least = Math.min(...block)
    const width = Math.ceil(Math.log2(Math.max(...block) - least + 1))
    // Miniblocks without values take no bytes.
    const bits = new Uint8Array(Math.ceil(block.length / 32) * 4 * width)
    for (const [index, difference] of block.entries())
      for (let bit = 0; bit < width; bit++) {
        const at = index * width + bit
        if (((difference - least) >> bit) & 1) bits[at >> 3] |= 1 << (at & 7)
      }
    parts.push(zigzag(least), new Uint8Array(4).fill(width), bits)
  }
  return bytesOf(...parts)
}

describe('packed differences', () => {
  /** Returns the first `bytes` bytes of a block of 128 values in four miniblocks, the first of which has this width. */
  const block = (width: number, bytes: number) =>
    bytesOf(
      varint(128),
      varint(4),
      varint(40),
      varint(0),
      varint(0),
      Uint8Array.of(width, 0, 0, 0),
      new Uint8Array(bytes),
    )

  test.each([
    [1, 0, 0],
    [2, 8, 1],
    [33, 8, 32],
    [33, 3, 12],
    [129, 0, 0],
  ])('of %i values are accepted with a width of %i in %i bytes', (values, width, bytes) => {
    expect(() => checkDeltaBlocks(block(width, bytes), 0, values)).not.toThrow()
  })

  test.each([
    ['end in their values', block(8, 31), 33, 'end too early'],
    ['end in a partial byte', block(3, 11), 33, 'end too early'],
    ['end before their first block', bytesOf(varint(128), varint(4), varint(40), varint(0)), 2, 'end too early'],
    ['end in their widths', block(8, 0).subarray(0, -2), 33, 'end too early'],
    ['are wider than any number', block(65, 500), 33, 'wider than any number'],
    [
      'come in blocks of nothing',
      bytesOf(varint(0), varint(4), varint(8), varint(0)),
      2,
      'of a size that no writer uses',
    ],
    [
      'come in huge blocks',
      bytesOf(varint(2 ** 17), varint(4), varint(8), varint(0)),
      2,
      'of a size that no writer uses',
    ],
    [
      'come in odd miniblocks',
      bytesOf(varint(100), varint(3), varint(8), varint(0)),
      2,
      'of a size that no writer uses',
    ],
    [
      'come in miniblocks of four',
      bytesOf(varint(16), varint(4), varint(8), varint(0)),
      2,
      'of a size that no writer uses',
    ],
    ['have an endless number', new Uint8Array(20).fill(0xff), 2, 'longer than any can be'],
  ])('that %s are refused', (_, bytes, values, why) => {
    expect(() => checkDeltaBlocks(bytes, 0, values)).toThrow(why)
  })

  test('of texts that repeat each other all over are refused', () => {
    const texts = (count: number) => {
      const prefixes = packNumbers([0, ...Array<number>(count - 1).fill(1000)])
      const suffixes = packNumbers([1000, ...Array<number>(count - 1).fill(0)])
      return decodeDeltaBytes(cursorAt(bytesOf(prefixes, suffixes, new Uint8Array(1000)), 0), 'DELTA_BYTE_ARRAY', count)
    }
    expect(texts(60)).toHaveLength(60)
    expect(() => texts(3000)).toThrow('texts repeat each other more than is plausible')
  })

  test('of texts may not share more than is plausible, nor what the text before does not have', () => {
    const lengths = (length: number) =>
      bytesOf(varint(128), varint(4), varint(2), varint(length * 2), varint(0), new Uint8Array(4))
    const texts = (shared: number) => bytesOf(lengths(shared), lengths(0))
    expect(decodeDeltaBytes(cursorAt(texts(0), 0), 'DELTA_BYTE_ARRAY', 2)).toHaveLength(2)
    expect(() => decodeDeltaBytes(cursorAt(texts(1), 0), 'DELTA_BYTE_ARRAY', 2)).toThrow('repeats more')
  })
})

describe('runs', () => {
  const decode = (bytes: number[], bitWidth: number, count: number) => {
    const found: number[][] = []
    visitRuns(Uint8Array.from(bytes), 0, bytes.length, bitWidth, count, {
      packed: (offset, at, values) => found.push([offset, at, values]),
      repeated: (value, at, values) => found.push([value, at, values]),
    })
    return found
  }

  test('are visited one after the other, up to the number of values', () => {
    // The bytes contain 258 five times, then eight packed values of ten bits, of which three count.
    expect(decode([10, 2, 1, 3, ...Array<number>(10).fill(0)], 10, 8)).toEqual([
      [258, 0, 5],
      [4, 5, 3],
    ])
  })

  test.each([
    ['a packed run', [3, 0, 0, 0, 0, 0, 0, 0, 0, 0], 10, 8, 'a bit-packed run ends too early'],
    ['a repeated value', [10, 2], 10, 5, 'a repeated run ends too early'],
    ['the length of a run', [0x80], 10, 5, 'runs end too early'],
    ['nothing', [], 10, 5, 'runs end too early'],
    ['too few runs', [4, 1], 8, 3, 'runs end too early'],
  ])('that end in %s are refused', (_, bytes, bitWidth, count, why) => {
    expect(() => decode(bytes, bitWidth, count)).toThrow(why)
  })

  test('of more than 32 bits are refused', () => {
    expect(() => decode([3, ...Array<number>(40).fill(0)], 33, 8)).toThrow('a bit width of 33')
  })
})

describe('the claims of a footer', () => {
  const sizeBytes = 1000
  const schema: SchemaElement[] = [
    { name: 'schema', num_children: 2 },
    { name: 'time', type: 'INT64', repetition_type: 'REQUIRED' },
    { name: 'value', type: 'DOUBLE', repetition_type: 'OPTIONAL' },
  ]
  const chunk = (claims: Partial<ClaimedChunk> = {}): ClaimedChunk => ({
    ...{ type: 'INT64', path_length: 1, num_values: 10, total_uncompressed_size: 80, total_compressed_size: 100 },
    ...{ data_page_offset: 4, dictionary_page_offset: undefined },
    ...claims,
  })
  const double = chunk({ type: 'DOUBLE' })
  const check = (chunks: (ClaimedChunk | null)[], { rows = 10, all = 10n, elements = schema, size = sizeBytes } = {}) =>
    checkFooter({ schema: elements, num_rows: all }, [{ rows, chunks }], size)

  test('that agree are accepted', () => {
    expect(check([chunk(), double])).toEqual([{ rows: 10, chunks: [chunk(), double] }])
    const last = chunk({ dictionary_page_offset: 900, data_page_offset: 920 })
    expect(check([last, double])[0].chunks[0]).toBe(last)
    // A nested column may have a different number of values than the row group has rows.
    expect(check([chunk({ path_length: 2, num_values: 7 }), double])).toHaveLength(1)
    const repeated = schema.with(1, { ...schema[1], repetition_type: 'REPEATED' })
    expect(check([chunk({ num_values: 7 }), double], { elements: repeated })).toHaveLength(1)
  })

  test.each([
    ['a column less', [chunk()], {}, 'columns differ'],
    ['a column more', [chunk(), double, double], {}, 'columns differ'],
    ['a column in another file', [null, double], {}, 'no data of its own'],
    ['a column of another type', [double, double], {}, 'type differs'],
    ['a column of a deep path', [chunk({ path_length: 33 }), double], {}, 'do not form a tree'],
    ['another number of values', [chunk({ num_values: 9 }), double], {}, 'number of rows differs'],
    ['a size beyond the file', [chunk({ total_compressed_size: 1001 }), double], {}, 'it claims 1001 bytes'],
    ['a negative size', [chunk({ total_compressed_size: -1 }), double], {}, 'it claims -1 bytes'],
    ['a negative size in memory', [chunk({ total_uncompressed_size: -1 }), double], {}, 'it claims -1 bytes'],
    ['data beyond the file', [chunk({ data_page_offset: 901 }), double], {}, 'points outside the file'],
    [
      'a dictionary beyond the file',
      [chunk({ data_page_offset: 990, dictionary_page_offset: 901 }), double],
      {},
      'points outside the file',
    ],
    ['a dictionary far away', [chunk({ dictionary_page_offset: 1001 }), double], {}, 'it claims 1001 bytes'],
    ['rows that do not add up', [chunk(), double], { all: 11n }, 'do not add up'],
    ['rows beyond any file', [chunk(), double], { rows: 250_000_001 }, 'it claims 250000001 rows'],
    ['less than no rows', [chunk(), double], { rows: -1 }, 'it claims -1 rows'],
  ])('with %s are refused', (_, chunks, claims, why) => {
    expect(() => check(chunks, claims)).toThrow(why)
  })

  test.each([
    ['without elements', [], 'do not form a tree'],
    ['with a child too few', schema.slice(0, 2), 'do not form a tree'],
    ['with a child too many', [...schema, schema[2]], 'do not form a tree'],
    ['with a negative number of children', schema.with(1, { ...schema[1], num_children: -1 }), 'do not form a tree'],
    ['with a column without type', schema.with(2, { name: 'value' }), 'a column has no type'],
    [
      'with thousands of columns',
      [{ name: 'schema', num_children: 4097 }, ...Array.from({ length: 4097 }, () => schema[1])],
      'more than 4096 columns',
    ],
  ])('of a schema %s are refused', (_, elements, why) => {
    expect(() => check([chunk(), double], { elements })).toThrow(why)
  })

  test('allow as many rows as a file of its size can have', () => {
    expect([0, 1000, 2 ** 40].map(plausibleRows)).toEqual([2_000_000, 2_004_000, 250_000_000])
  })
})

/** Encoded values of all types, for fields whose value may be anything. */
const anyValues: Record<string, EncodedValue> = {
  'a flag': { type: 1, bytes: new Uint8Array(0) },
  'a flag that is off': { type: 2, bytes: new Uint8Array(0) },
  'a byte': { type: 3, bytes: Uint8Array.of(0xff) },
  'a short number': { type: 4, bytes: varint(300) },
  'a number': i32(70_000),
  'a long number': i64(2 ** 40),
  'a double': { type: 7, bytes: new Uint8Array(8).fill(0xff) },
  'a long text': text('x'.repeat(300)),
  'a list of numbers': list([i32(1), i32(300)]),
  'a list of flags': { type: 9, bytes: Uint8Array.of(0x31, 1, 2, 1) },
  'a list of structures': list([struct({ 1: i32(1), 9: text('abc') }), struct({})]),
  'an empty list': { type: 9, bytes: Uint8Array.of(0x0c) },
  'a structure': struct({ 1: struct({ 30: i64(5) }), 2: text('abc') }),
}

/** Builds a usual footer, each field of which may be replaced or left out. */
function footerOf({
  footer = {},
  column = {},
  group = {},
  chunk = {},
  metadata = {},
}: Record<string, Record<number, EncodedValue | undefined>> = {}) {
  const fields = {
    ...{ 1: i32(2), 2: list([i32(0)]), 3: list([text('time')]), 4: i32(0), 5: i64(1), 6: i64(8), 7: i64(8), 9: i64(4) },
    ...metadata,
  }
  const chunks = list([struct({ 2: i64(4), 3: struct(fields), ...chunk })])
  const schema = list([
    struct({ 4: text('schema'), 5: i32(1) }),
    struct({ 1: i32(2), 3: i32(0), 4: text('time'), ...column }),
  ])
  const groups = list([struct({ 1: chunks, 2: i64(8), 3: i64(1), ...group })])
  return struct({ 1: i32(1), 2: schema, 3: i64(1), 4: groups, ...footer }).bytes
}

describe('the shape of a footer', () => {
  test('says where its row groups are', () => {
    const bytes = footerOf()
    const { from, to } = checkFooterShape(bytes)
    expect(bytes[from - 1] & 0x0f).toBe(9)
    // The last structure ends at the end of the list.
    expect([to, bytes.length]).toEqual([bytes.length - 1, to + 1])
  })

  it.each(Object.entries(anyValues))('may have %s in fields that nobody knows', (_, value) => {
    for (const place of ['footer', 'column', 'group', 'chunk', 'metadata'])
      expect(() => checkFooterShape(footerOf({ [place]: { 40: value } })), place).not.toThrow()
  })

  it.each([
    ['footer', [2, 3, 4]],
    ['column', [4]],
    ['group', [1, 3]],
    ['chunk', [3]],
    ['metadata', [1, 3, 4, 5, 6, 7, 9]],
  ])('has every field that each %s needs', (place, fields) => {
    for (const field of fields)
      expect(() => checkFooterShape(footerOf({ [place]: { [field]: undefined } })), String(field)).toThrow(
        'a field is missing',
      )
  })

  it.each([
    ['a text for a number', 'metadata', { 5: text('1') }, 'of the wrong type'],
    ['a number for a text', 'column', { 4: i32(1) }, 'of the wrong type'],
    ['a structure for a list', 'footer', { 2: struct({}) }, 'of the wrong type'],
    ['a list for a structure', 'chunk', { 3: list([i32(1)]) }, 'of the wrong type'],
    ['a list of other values', 'metadata', { 3: list([i32(1)]) }, 'of the wrong type'],
    [
      'a text longer than the footer',
      'footer',
      { 6: { type: 8, bytes: varint(1_000_000) } },
      'longer than the bytes that are left',
    ],
    ['a list longer than the footer', 'footer', { 5: list([], 1_000_000) }, 'more elements than there are bytes'],
    [
      'an endless number',
      'metadata',
      { 5: { type: 6, bytes: new Uint8Array(11).fill(0xff) } },
      'longer than any can be',
    ],
    [
      'a value of no type',
      'footer',
      { 40: { type: 13, bytes: new Uint8Array(0) } },
      'a type that Parquet does not have',
    ],
  ] as [string, string, Record<number, EncodedValue>, string][])('is refused with %s', (_, place, fields, why) => {
    expect(() => checkFooterShape(footerOf({ [place]: fields }))).toThrow(why)
  })

  test('is refused with fields of numbers that no field has', () => {
    for (const number of [0, 32_768, -1, -2]) {
      const zigzag = number < 0 ? -number * 2 - 1 : number * 2
      const bytes = bytesOf(5, varint(zigzag), varint(2), 0)
      expect(() => checkFooterShape(bytes), String(number)).toThrow('a number that no field has')
    }
  })

  test('nests no deeper than any file does', () => {
    const nested = (depth: number): EncodedValue =>
      Array.from({ length: depth }).reduce<EncodedValue>((inner) => struct({ 1: inner }), struct({}))
    expect(() => checkFooterShape(footerOf({ footer: { 40: nested(31) } }))).not.toThrow()
    expect(() => checkFooterShape(footerOf({ footer: { 40: nested(32) } }))).toThrow('nest deeper than 32')
  })

  test('has no statistic of decimals that would take long to convert', () => {
    const decimals = { 6: i32(5) }
    const statistics = (bytes: number) => ({ 12: struct({ 1: text('x'.repeat(bytes)) }) })
    expect(() => checkFooterShape(footerOf({ column: decimals, metadata: statistics(1000) }))).not.toThrow()
    expect(() => checkFooterShape(footerOf({ column: decimals, metadata: statistics(1025) }))).toThrow(
      'longer than any decimal',
    )
    expect(() => checkFooterShape(footerOf({ metadata: statistics(1025) }))).not.toThrow()
    // Other texts may have any length.
    expect(() => checkFooterShape(footerOf({ column: decimals, footer: { 6: text('x'.repeat(5000)) } }))).not.toThrow()
  })
})

describe('the shape of a page header', () => {
  const kinds: Record<string, { type: number; field: number; fields: Record<number, EncodedValue>; needed: number[] }> =
    {
      'a data page': { type: 0, field: 5, fields: { 1: i32(1), 2: i32(0), 3: i32(3), 4: i32(3) }, needed: [1, 2] },
      'a dictionary': { type: 2, field: 7, fields: { 1: i32(1), 2: i32(0), 3: anyValues['a flag'] }, needed: [1] },
      'a page of the second version': {
        ...{ type: 3, field: 8, needed: [1, 2, 4, 5, 6] },
        fields: { 1: i32(1), 2: i32(0), 3: i32(1), 4: i32(0), 5: i32(0), 6: i32(0), 7: anyValues['a flag'] },
      },
    }

  it.each(Object.entries(kinds))('of %s has every field that it needs', (_, { type, field, fields, needed }) => {
    const header = (
      own: Record<number, EncodedValue | undefined>,
      outer: Record<number, EncodedValue | undefined> = {},
    ) => struct({ 1: i32(type), 2: i32(8), 3: i32(8), [field]: struct(own), ...outer }).bytes
    const bytes = header(fields)
    expect(checkPageHeaderShape(bytesOf(9, bytes, 7, 7), 1)).toBe(1 + bytes.length)
    for (const each of needed)
      expect(() => checkPageHeaderShape(header({ ...fields, [each]: undefined }), 0), String(each)).toThrow(
        'is missing',
      )
    for (const each of [1, 2, 3])
      expect(() => checkPageHeaderShape(header(fields, { [each]: undefined }), 0), String(each)).toThrow('is missing')
  })
})
