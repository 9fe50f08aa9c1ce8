import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import { fakeService } from './fakeService.ts'
import type { Table } from '../conformance/compareMetrics.ts'

export interface FakeStatement {
  sql: string
  settings: URLSearchParams
}

export interface FakeClickHouse {
  url: string
  statements: FakeStatement[]
  /** Sends an answer instead of the usual one; returns false to send the usual one. */
  instead: (statement: FakeStatement, response: ServerResponse) => boolean
  /** Answer to the query for the available instruments, as lines of dataset, exchange, symbol, first and last day. */
  instruments: string
  /** Returns the statements that compute rows. */
  computed(): FakeStatement[]
}

export const engineUser = 'quant'
export const enginePassword = 'canary-password-91c2'

/** Refuses a statement as ClickHouse does, with its error code in a header and in the message. */
export function refuse(response: ServerResponse, status: number, code: number, words: string): void {
  response.writeHead(status, { 'x-clickhouse-exception-code': String(code) })
  response.end(`Code: ${code}. DB::Exception: ${words}. (NAME) (version 26.9.2.1)`)
}

const times = ['exchange_timestamp', 'local_timestamp'].map((name) => `${name}\tNullable(DateTime64(6, \\'UTC\\'))\t\t`)
export const describedTrades = [
  ...times,
  ...['price', 'amount'].map((name) => `${name}\tFloat64\t`),
  'side\tNullable(String)\t',
]

/**
 * Starts a server with as much of ClickHouse's HTTP interface as a computation needs; its rows are those of a table.
 */
export async function fakeClickHouse(
  files: readonly string[],
  rows: Table,
  dataset = 'vtwap',
): Promise<FakeClickHouse> {
  const fake: FakeClickHouse = {
    url: '',
    statements: [],
    instead: () => false,
    instruments: '',
    computed: () => fake.statements.filter(({ sql }) => sql.endsWith('FORMAT RowBinary')),
  }
  const { url } = await fakeService((request, response) => void answer(fake, files, rows, dataset, request, response))
  fake.url = url
  return fake
}

async function answer(
  fake: FakeClickHouse,
  files: readonly string[],
  rows: Table,
  dataset: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const statement = {
    sql: Buffer.concat(chunks).toString(),
    settings: new URL(request.url!, 'http://fake').searchParams,
  }
  fake.statements.push(statement)
  const { 'x-clickhouse-user': user, 'x-clickhouse-key': key } = request.headers
  if (user !== engineUser || key !== enginePassword)
    return refuse(response, 403, 516, 'quant: Authentication failed: password is incorrect, or there is no such user')
  if (fake.instead(statement, response)) return
  const { sql } = statement
  if (sql.startsWith('SELECT version()')) response.end(`26.9.2.1\t${Date.now()}\t1\n`)
  else if (sql.includes('GROUP BY dataset, exchange, symbol')) response.end(fake.instruments)
  else if (sql.includes("'One'"))
    response.end(files.map((path) => `/there/${basename(path)}\t100\t1700000000\n`).join(''))
  else if (sql.startsWith('DESCRIBE')) response.end(`${describedTrades.join('\n')}\n`)
  else if (sql.startsWith('SELECT countIf')) response.end('0\t0\t0\t0\n')
  else if (sql.endsWith('FORMAT RowBinary')) response.end(rowBinary(rows, dataset, sql))
  else response.end()
}

/** Encodes the rows of the day that a query computes, as the server writes them. */
export function rowBinary(rows: Table, dataset: string, sql: string): Buffer {
  const startMs = Number(/time_us >= (\d+)/.exec(sql)![1]) / 1000
  const chosen = [...rows.time.keys()].filter((i) => rows.time[i] >= startMs && rows.time[i] < startMs + 86_400_000)
  const names = metricDataset(dataset as 'vtwap').columns.map(({ name }) => name)
  const bytes = Buffer.alloc(chosen.length * (names.length + 2) * 8)
  let at = 0
  for (const row of chosen) {
    at = bytes.writeBigInt64LE(BigInt(rows.time[row]), at)
    at = bytes.writeDoubleLE(chosen.length, at)
    for (const name of names) at = bytes.writeDoubleLE(rows.columns.get(name)![row], at)
  }
  return bytes
}
