import { randomUUID } from 'node:crypto'
import type { EngineServer } from '#shared/contract/areas/connections.ts'
import { AppError, type ErrorCode } from '#shared/contract/errors.ts'
import type { HttpClient } from './http.ts'
import { requireValidKey } from './httpErrors.ts'

/** A ClickHouse server, reached through its HTTP interface: one statement per request, the password in a header. */
export interface ClickHouse {
  /** Runs a statement and returns the whole response; throws if the response exceeds `maxBytes`. */
  bytes(sql: string, signal: AbortSignal, maxBytes?: number): Promise<Uint8Array>
  /** Runs a statement that returns no rows. */
  run(sql: string, signal: AbortSignal): Promise<void>
  /** Runs a query and returns the cells of its rows as text. */
  rows(sql: string, signal: AbortSignal): Promise<string[][]>
}

export interface ClickHouseAccess extends EngineServer {
  password: string | null
}

/** Settings sent with each statement, so that the defaults of the server and of its user do not matter. */
const settings = {
  session_timezone: 'UTC',
  join_use_nulls: '1',
  use_hive_partitioning: '0',
  // A second run replaces the files of the first.
  engine_file_truncate_on_insert: '1',
  s3_truncate_on_insert: '1',
  // By default ClickHouse retries unresponsive storage five hundred times, for hours.
  s3_retry_attempts: '4',
  // The server responds only when the statement is done, so that the status tells whether it failed.
  wait_end_of_query: '1',
}

/** Timeout without any response; a server sends nothing until a statement is done. */
const SILENCE_MS = 3_600_000
const KILL_MS = 10_000
const MAX_TEXT_BYTES = 64 * 1024 * 1024

export function createClickHouse(http: HttpClient, access: ClickHouseAccess): ClickHouse {
  const send = async (sql: string, queryId: string, signal: AbortSignal, maxBytes: number) => {
    if (access.password !== null) requireValidKey(access.password, 'The password of the ClickHouse server')
    const url = new URL(access.url)
    for (const [name, value] of Object.entries({ ...settings, query_id: queryId })) url.searchParams.set(name, value)
    const answer = await http.open({
      url: url.href,
      post: sql,
      signal,
      maxBytes,
      silenceMs: SILENCE_MS,
      plainHttp: access.plainHttp,
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'x-clickhouse-user': access.user,
        ...(access.password !== null && { 'x-clickhouse-key': access.password }),
      },
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.body) chunks.push(chunk)
    const code = answer.headers.get('x-clickhouse-exception-code')
    const body = Buffer.concat(chunks)
    // The header is checked besides the status, because an old server or a proxy may send an error with status 200.
    if (code !== null) throw engineError(Number(code), body.subarray(-2000).toString(), null)
    return body
  }

  async function bytes(sql: string, signal: AbortSignal, maxBytes = MAX_TEXT_BYTES): Promise<Uint8Array> {
    const queryId = `perpscope-${randomUUID()}`
    try {
      return await send(sql, queryId, signal, maxBytes)
    } catch (thrown) {
      if (signal.aborted) await kill(queryId)
      throw withEngineCode(thrown)
    }
  }

  /** Cancels a statement whose result is no longer wanted; the server may have ended it already. */
  async function kill(queryId: string): Promise<void> {
    const sql = `KILL QUERY WHERE query_id = '${queryId}' ASYNC`
    await send(sql, `${queryId}-kill`, AbortSignal.timeout(KILL_MS), MAX_TEXT_BYTES).catch(() => {})
  }

  return {
    bytes,
    async run(sql, signal) {
      completeText(await bytes(sql, signal))
    },
    async rows(sql, signal) {
      const text = completeText(await bytes(`${sql}\nFORMAT TSV`, signal))
      return text
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t').map(unescape))
    },
  }
}

/**
 * Returns the text of a response; throws if it was cut off, or if an error message follows its rows, because a server or
 * a proxy may send the status before the query fails.
 */
function completeText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString()
  const failure = /Code: (\d+)\. DB::Exception: [^]*/.exec(text.slice(-MOST_FAILURE_CHARACTERS))
  if (failure) throw engineError(Number(failure[1]), failure[0], null)
  // Without a tab it is no row, and probably not from ClickHouse.
  if (text.includes('\t') && !text.endsWith('\n'))
    throw new AppError('bad-answer', 'ClickHouse: an answer was cut off.')
  return text
}

const MOST_FAILURE_CHARACTERS = 65_536

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', 0: '\0' }

/** Resolves the escapes in a cell of a tab-separated response. */
const unescape = (cell: string) => cell.replaceAll(/\\(.)/g, (_, escaped: string) => escapes[escaped] ?? escaped)

/** ClickHouse error codes that a user can act on; others are reported in ClickHouse's own words. */
const meanings: readonly [codes: readonly number[], code: ErrorCode, message: string][] = [
  [[192, 193, 194, 516], 'login', 'the user name or the password is wrong'],
  [[497, 291, 481], 'rejected', 'the user lacks the permission'],
  [[164], 'rejected', 'the user may not change settings (readonly = 1); set readonly = 2, or use another user'],
  [[115], 'unsupported', 'this version lacks a setting that the computation needs'],
  [[46], 'unsupported', 'this version lacks a function that the computation needs'],
  [[60, 81], 'not-found', 'there is no such table or database'],
  [[701], 'not-found', 'it has no cluster of this name'],
  [[16, 47, 10], 'rejected', 'a column is missing'],
  [[43, 53, 70, 386], 'rejected', 'a column has the wrong type'],
  [[201], 'rejected', 'the quota of the user is used up'],
  [[202], 'rejected', 'it is already running too many queries'],
  [[241], 'too-large', 'it ran out of memory; fewer queries at a time (--parallel 1) need less'],
  [[158, 307, 396], 'too-large', 'a limit on rows or bytes was reached'],
  [[159, 160], 'timeout', 'a limit on time was reached'],
  [[243, 252, 1002], 'service', 'its disk is full, or it is overloaded'],
  [[394], 'cancelled', 'the query was cancelled on the server'],
  [[32, 33, 117], 'corrupt-file', 'a file is damaged or incomplete'],
  [[636], 'corrupt-file', 'a file is damaged, incomplete or missing'],
  [[395], 'corrupt-file', 'an event contains a value that cannot be used'],
  [
    [499],
    'service',
    'its storage refused access or could not be reached, which also happens if a clock is wrong by minutes',
  ],
]

/** Parts to remove from a message, because they hide its reason: nested codes and versions. */
const noise = /Code: \d+\. DB::Exception: |\(version [^()]*(?:\([^()]*\))?\)/g
const MAX_SERVER_MESSAGE_CHARACTERS = 500

/** Builds the error for a message of ClickHouse such as “Code: 47. DB::Exception: …”, quoting its first part. */
function engineError(code: number, text: string, cause: unknown): AppError {
  const meaningfulText = (/DB::Exception: ([^]*)/.exec(text)?.[1] ?? text).replaceAll(noise, '').replace(/\s+/g, ' ')
  const serverMessage = meaningfulText.trim().slice(0, MAX_SERVER_MESSAGE_CHARACTERS)
  const [, kind, message] = meanings.find(([codes]) => codes.includes(code)) ?? [
    [],
    'rejected' as const,
    'it refused the query',
  ]
  return new AppError(kind, `ClickHouse: ${message} (code ${code}: ${serverMessage})`, { cause })
}

/** Turns a failed response into the error for ClickHouse's own code, which is more specific than the HTTP status. */
function withEngineCode(thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || !thrown.service) return thrown
  const { message, status } = thrown.service
  const code = /Code: (\d+)/.exec(message ?? '')?.[1]
  if (code) return engineError(Number(code), message!, thrown)
  if (status === 401 || status === 403) return engineError(516, message ?? '', thrown)
  return thrown
}
