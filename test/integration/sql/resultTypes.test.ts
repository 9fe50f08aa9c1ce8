import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { encodeResult, resultPages } from '#core/sql/writeResult.ts'
import type { ResultFormat } from '#core/sql/resultFile.ts'
import { tableFromIPC } from 'apache-arrow'
import { expect, it } from 'vitest'
import { openSqlWorld, type SqlWorld } from '../../fakes/sqlWorld.ts'

/**
 * A value of each type of the engine: as JSON, the type and text that DuckDB reads from the Parquet file (which it reads
 * to the microsecond), and the type in the Arrow file.
 */
const cases: [sql: string, json: string, parquetType: string, parquetText: string | null, arrowType: string][] = [
  ['true', 'true', 'BOOLEAN', 'true', 'Bool'],
  ['7::TINYINT', '7', 'TINYINT', '7', 'Int8'],
  ['(-7)::SMALLINT', '-7', 'SMALLINT', '-7', 'Int16'],
  ['7::INTEGER', '7', 'INTEGER', '7', 'Int32'],
  ['9007199254740993::BIGINT', '"9007199254740993"', 'BIGINT', '9007199254740993', 'Int64'],
  ['200::UTINYINT', '200', 'UTINYINT', '200', 'Uint8'],
  ['60000::USMALLINT', '60000', 'USMALLINT', '60000', 'Uint16'],
  ['4000000000::UINTEGER', '4000000000', 'UINTEGER', '4000000000', 'Uint32'],
  ['18446744073709551615::UBIGINT', '"18446744073709551615"', 'UBIGINT', '18446744073709551615', 'Uint64'],
  [
    '-12345678901234567890123::HUGEINT',
    '"-12345678901234567890123"',
    'DECIMAL(38,0)',
    '-12345678901234567890123',
    'Decimal[38e0]',
  ],
  ['5::UHUGEINT', '5', 'DECIMAL(38,0)', '5', 'Decimal[38e0]'],
  [
    "'123456789012345678901234567890123456789012'::BIGNUM",
    '"123456789012345678901234567890123456789012"',
    'VARCHAR',
    '123456789012345678901234567890123456789012',
    'Utf8',
  ],
  ["'-0.05'::DECIMAL(4,2)", '"-0.05"', 'DECIMAL(4,2)', '-0.05', 'Decimal[4e+2]'],
  ["'743.396'::DECIMAL(18,3)", '"743.396"', 'DECIMAL(18,3)', '743.396', 'Decimal[18e+3]'],
  [
    "'-1234567890123456789012345678.9'::DECIMAL(38,1)",
    '"-1234567890123456789012345678.9"',
    'DECIMAL(38,1)',
    '-1234567890123456789012345678.9',
    'Decimal[38e+1]',
  ],
  ['0.1::FLOAT', '0.10000000149011612', 'FLOAT', '0.1', 'Float32'],
  ["'-0.0'::FLOAT", '-0', 'FLOAT', '-0.0', 'Float32'],
  ['0.1::DOUBLE', '0.1', 'DOUBLE', '0.1', 'Float64'],
  ["'-0.0'::DOUBLE", '-0', 'DOUBLE', '-0.0', 'Float64'],
  ["'NaN'::DOUBLE", '"NaN"', 'DOUBLE', 'nan', 'Float64'],
  ["'-Infinity'::DOUBLE", '"-Infinity"', 'DOUBLE', '-inf', 'Float64'],
  ["DATE '2026-02-28'", '"2026-02-28"', 'DATE', '2026-02-28', 'Date32<DAY>'],
  ["DATE '1969-12-31'", '"1969-12-31"', 'DATE', '1969-12-31', 'Date32<DAY>'],
  ["DATE '5881580-07-10'", '"+5881580-07-10"', 'DATE', '5881580-07-10', 'Date32<DAY>'],
  ["DATE '5877642-06-25 (BC)'", '"-5877641-06-25"', 'DATE', '5877642-06-25 (BC)', 'Date32<DAY>'],
  ["'infinity'::DATE", '"infinity"', 'DATE', 'infinity', 'Date32<DAY>'],
  [
    "TIMESTAMP '2026-01-02 03:04:05.678901'",
    '"2026-01-02T03:04:05.678901Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2026-01-02 03:04:05.678901+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "TIMESTAMP '1900-01-02 03:04:05.678901'",
    '"1900-01-02T03:04:05.678901Z"',
    'TIMESTAMP WITH TIME ZONE',
    '1900-01-02 03:04:05.678901+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "TIMESTAMP '2200-01-02 03:04:05.678901'",
    '"2200-01-02T03:04:05.678901Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2200-01-02 03:04:05.678901+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "TIMESTAMP '290000-01-02 03:04:05.6'",
    '"+290000-01-02T03:04:05.600000Z"',
    'TIMESTAMP WITH TIME ZONE',
    '290000-01-02 03:04:05.6+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  ["'-infinity'::TIMESTAMP", '"-infinity"', 'TIMESTAMP WITH TIME ZONE', '-infinity', 'Timestamp<MICROSECOND, UTC>'],
  [
    "TIMESTAMPTZ '2026-01-02 03:04:05.5+02'",
    '"2026-01-02T01:04:05.500000Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2026-01-02 01:04:05.5+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "'2026-01-02 03:04:05'::TIMESTAMP_S",
    '"2026-01-02T03:04:05.000000Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2026-01-02 03:04:05+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "'2026-01-02 03:04:05.678'::TIMESTAMP_MS",
    '"2026-01-02T03:04:05.678000Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2026-01-02 03:04:05.678+00',
    'Timestamp<MICROSECOND, UTC>',
  ],
  [
    "'2026-01-02 03:04:05.123456789'::TIMESTAMP_NS",
    '"2026-01-02T03:04:05.123456789Z"',
    'TIMESTAMP WITH TIME ZONE',
    '2026-01-02 03:04:05.123456+00',
    'Timestamp<NANOSECOND, UTC>',
  ],
  ["'infinity'::TIMESTAMP_NS", '"infinity"', 'TIMESTAMP WITH TIME ZONE', 'infinity', 'Timestamp<NANOSECOND, UTC>'],
  ["TIME '12:34:56.123456'", '"12:34:56.123456"', 'TIME WITH TIME ZONE', '12:34:56.123456+00', 'Time64<MICROSECOND>'],
  ["'12:34:56+02'::TIMETZ", '"12:34:56+02"', 'VARCHAR', '12:34:56+02', 'Utf8'],
  [
    "INTERVAL '-1 month 2 days 3.000004s'",
    '"-1 month 2 days 00:00:03.000004"',
    'VARCHAR',
    '-1 month 2 days 00:00:03.000004',
    'Utf8',
  ],
  ["'a''b, )'::ENUM('a''b, )', 'c')", '"a\'b, )"', 'VARCHAR', "a'b, )", 'Utf8'],
  [
    "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID",
    '"6ba7b810-9dad-11d1-80b4-00c04fd430c8"',
    'VARCHAR',
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'Utf8',
  ],
  ["'0101'::BIT", '"0101"', 'VARCHAR', '0101', 'Utf8'],
  [String.raw`'\xAA\x5Cx41b'::BLOB`, String.raw`"\\xAA\\x5Cx41b"`, 'BLOB', String.raw`\xAA\x5Cx41b`, 'Binary'],
  ["'=1+1'", '"=1+1"', 'VARCHAR', '=1+1', 'Utf8'],
  ['NULL::BIGINT', 'null', 'BIGINT', null, 'Int64'],
  ['[1.5::DECIMAL(3,1), NULL]', '["1.5",null]', 'DECIMAL(3,1)[]', '[1.5, NULL]', 'List<Decimal[3e+1]>'],
  ['[]::BIGINT[]', '[]', 'BIGINT[]', '[]', 'List<Int64>'],
  [
    "[['NaN'::DOUBLE], [], NULL, ['-0.0'::DOUBLE, 0, 0, 0, 0]]",
    '[["NaN"],[],null,[-0,0,0,0,0]]',
    'DOUBLE[][]',
    '[[nan], [], NULL, [-0.0, 0.0, 0.0, 0.0, 0.0]]',
    'List<List<Float64>>',
  ],
  ['[1, 2]::INTEGER[2]', '[1,2]', 'INTEGER[]', '[1, 2]', 'FixedSizeList[2]<Int32>'],
  ['NULL::INTEGER[2]', 'null', 'INTEGER[]', null, 'FixedSizeList[2]<Int32>'],
  [
    "{'2': 1, '1': 'x', '__proto__': 3}",
    '{"2":1,"1":"x","__proto__":3}',
    'STRUCT("2" INTEGER, "1" VARCHAR, __proto__ INTEGER)',
    "{'2': 1, '1': x, '__proto__': 3}",
    'Struct<{2:Int32, 1:Utf8, __proto__:Int32}>',
  ],
  ["{'a': NULL::INTEGER}", '{"a":null}', 'STRUCT(a INTEGER)', "{'a': NULL}", 'Struct<{a:Int32}>'],
  ['NULL::STRUCT(a INTEGER)', 'null', 'STRUCT(a INTEGER)', null, 'Struct<{a:Int32}>'],
  [
    "row(1, 'x', row(2, NULL))",
    '[1,"x",[2,null]]',
    'STRUCT("1" INTEGER, "2" VARCHAR, "3" STRUCT("1" INTEGER, "2" INTEGER))',
    "{'1': 1, '2': x, '3': {'1': 2, '2': NULL}}",
    'Struct<{1:Int32, 2:Utf8, 3:Struct<{1:Int32, 2:Int32}>}>',
  ],
  [
    "[(1, 'a'), (2, 'b')]",
    '[[1,"a"],[2,"b"]]',
    'STRUCT("1" INTEGER, "2" VARCHAR)[]',
    "[{'1': 1, '2': a}, {'1': 2, '2': b}]",
    'List<Struct<{1:Int32, 2:Utf8}>>',
  ],
  [
    "max((1.5::DOUBLE, TIMESTAMP '2026-01-01'))",
    '[1.5,"2026-01-01T00:00:00.000000Z"]',
    'STRUCT("1" DOUBLE, "2" TIMESTAMP WITH TIME ZONE)',
    "{'1': 1.5, '2': '2026-01-01 00:00:00+00'}",
    'Struct<{1:Float64, 2:Timestamp<MICROSECOND, UTC>}>',
  ],
  [
    "MAP {'a': [1], 'b': NULL}",
    '[{"key":"a","value":[1]},{"key":"b","value":null}]',
    'MAP(VARCHAR, INTEGER[])',
    '{a=[1], b=NULL}',
    'Map<{key:Utf8, value:List<Int32>}>',
  ],
  [
    'MAP {(1, 2): 3}',
    '[{"key":[1,2],"value":3}]',
    'MAP(STRUCT("1" INTEGER, "2" INTEGER), INTEGER)',
    "{{'1': 1, '2': 2}=3}",
    'Map<{key:Struct<{1:Int32, 2:Int32}>, value:Int32}>',
  ],
  [
    'union_value(num := 3)::UNION(num INTEGER, s VARCHAR)',
    '{"num":3}',
    'STRUCT(num INTEGER, s VARCHAR)',
    "{'num': 3, 's': NULL}",
    'Struct<{num:Int32, s:Utf8}>',
  ],
  [
    "{'a': [1, 'x'::VARIANT], '__proto__': 3}::VARIANT",
    '{"a":[1,"x"],"__proto__":3}',
    'VARCHAR',
    '{"a":[1,"x"],"__proto__":3}',
    'Utf8',
  ],
]

it('keeps every value of every type as JSON, Parquet and Arrow, with the type of the query', async () => {
  const world = openSqlWorld()
  const select = `SELECT ${cases.map(([sql], at) => `${sql} AS c${at}`).join(', ')}`
  const json = (await encoded(world, select, 'json')).toString()
  const found = json.replace(/^\[\n\{|\}\n\]\n$/g, '')
  expect(found).toBe(cases.map(([, text], at) => `"c${at}":${text}`).join(','))

  const parquet = await readBack(world, await encoded(world, select, 'parquet'))
  expect(parquet).toEqual(cases.map(([, , type, text]) => [type, text]))

  const table = tableFromIPC(await encoded(world, select, 'arrow'))
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual(cases.map(([, , , , type]) => type))
})

it('keeps nested values in Arrow, rows without any among them', async () => {
  const world = openSqlWorld()
  const select = `SELECT * FROM (VALUES
    ([1, NULL, 18446744073709551615::UBIGINT], {'a': 'x', 'b': [(1, true)]}, MAP {'k': DATE '1970-01-03'}, [1, 2]::SMALLINT[2], '-1.50'::DECIMAL(30,2), '\\xFF'::BLOB),
    (NULL, NULL, NULL, NULL, NULL, NULL),
    ([], {'a': NULL, 'b': []}, MAP {}, [3, NULL]::SMALLINT[2], 0.01, ''::BLOB)) t(l, s, m, f, d, b)`
  const table = tableFromIPC(await encoded(world, select, 'arrow'))
  expect(
    Array.from({ length: 3 }, (_, row) =>
      table.schema.fields.map(({ name }) => arrowText(table.getChild(name)?.get(row))),
    ),
  ).toEqual([
    [
      '["1",null,"18446744073709551615"]',
      '{"a":"x","b":[{"1":1,"2":true}]}',
      '{"k":172800000}',
      '[1,2]',
      '"-150"',
      '[255]',
    ],
    ['null', 'null', 'null', 'null', 'null', 'null'],
    ['[]', '{"a":null,"b":[]}', '{}', '[3,null]', '"1"', '[]'],
  ])
  const nanos = "SELECT '2026-01-02 03:04:05.123456789'::TIMESTAMP_NS AS x, TIMESTAMP '1969-12-31 23:59:59.999999' AS y"
  const { data } = tableFromIPC(await encoded(world, nanos, 'arrow')).batches[0]
  expect(data.children.map(({ values }) => (values as BigInt64Array)[0])).toEqual([1_767_323_045_123_456_789n, -1n])
})

/** Writes a value of Apache Arrow's as JSON. */
function arrowText(value: unknown): string {
  if (value instanceof Uint32Array) {
    const [low, high] = new BigUint64Array(value.slice().buffer)
    return JSON.stringify(String(BigInt.asIntN(128, (high << 64n) | low)))
  }
  if (value instanceof Uint8Array) return JSON.stringify([...value])
  return JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each))
}

async function encoded({ sql }: SqlWorld, text: string, format: ResultFormat): Promise<Buffer> {
  const result = await sql.run({ sql: text, parameters: {}, connectionId: '' })
  const pieces: Buffer[] = []
  const pages = resultPages(sql, result, new AbortController().signal)
  for await (const piece of encodeResult(format, result.columns, pages, () => '{}')) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Reads a file with DuckDB: the type of each column, and the text of its first value. */
async function readBack({ dataDir }: SqlWorld, bytes: Buffer): Promise<[string, string | null][]> {
  const path = join(dataDir, 'result.parquet')
  writeFileSync(path, bytes)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  try {
    const types = (await connection.runAndReadAll(`DESCRIBE FROM '${path}'`)).getRows()
    const texts = (await connection.runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM '${path}'`)).getRows()
    return types.map(([, type], at) => [String(type), texts[0][at] === null ? null : String(texts[0][at])])
  } finally {
    connection.closeSync()
    rmSync(path)
  }
}

it.each([10, 10_000])('gives a column of Parquet and Arrow the type of the query at %i rows', async (rows) => {
  const world = openSqlWorld()
  const select = `SELECT i * 1000000000000 AS big, hash(i) AS hashed, sum(i) OVER () AS total,
    TIMESTAMP '2100-01-01' + to_microseconds(i * i * i * 1001) AS late FROM range(${rows}) r(i)`
  const table = tableFromIPC(await encoded(world, select, 'arrow'))
  expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
    'Int64',
    'Uint64',
    'Decimal[38e0]',
    'Timestamp<MICROSECOND, UTC>',
  ])
  expect(table.getChild('big')?.get(rows - 1)).toBe(BigInt(rows - 1) * 1_000_000_000_000n)
  const parquet = await readBack(world, await encoded(world, `${select} ORDER BY i DESC`, 'parquet'))
  expect(parquet.map(([type]) => type)).toEqual(['BIGINT', 'UBIGINT', 'DECIMAL(38,0)', 'TIMESTAMP WITH TIME ZONE'])
  expect(parquet[0][1]).toBe(String(BigInt(rows - 1) * 1_000_000_000_000n))
  expect(parquet[2][1]).toBe(String((rows * (rows - 1)) / 2))
})

it('says that Parquet and Arrow hold no integer of more than 38 digits', async () => {
  const world = openSqlWorld()
  const select = 'SELECT 170141183460469231731687303715884105727::HUGEINT AS x'
  await expect(encoded(world, select, 'parquet')).rejects.toThrow(/more than 38 digits/)
})

it('writes the words and signs of JSON in CSV and as lines, too', async () => {
  const world = openSqlWorld()
  const select = `SELECT 'NaN'::DOUBLE AS a, '-Infinity'::DOUBLE AS b, '-0.0'::DOUBLE AS c, (1, 'x') AS d,
    5::HUGEINT AS e, NULL AS f, true AS g, '1.50'::DECIMAL(4,2) AS h, '\\x5C'::BLOB AS i`
  const csv = (await encoded(world, select, 'csv')).toString()
  expect(csv.split(/\r?\n/)).toEqual([
    'a,b,c,d,e,f,g,h,i',
    String.raw`NaN,-Infinity,-0,"[1,""x""]",5,,true,1.50,\x5C`,
    '',
  ])
  expect((await encoded(world, select, 'jsonl')).toString()).toBe(
    String.raw`{"a":"NaN","b":"-Infinity","c":-0,"d":[1,"x"],"e":5,"f":null,"g":true,"h":"1.50","i":"\\x5C"}` + '\n',
  )
})
