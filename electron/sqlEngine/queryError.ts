import type { QueryFailure } from '#core/sql/sqlTask.ts'

interface DuckDbError {
  exception_type?: string
  exception_message?: string
  position?: string
}

/**
 * Parses a DuckDB error, which gives a position as a byte offset.
 * @param prefix text that the app put before the query
 */
export function failureOf(thrown: unknown, sql: string, prefix = ''): QueryFailure {
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  const { exception_type: type, exception_message: message, position } = parseError(text)
  if (message === undefined) return { message: text, line: null, column: null }
  const shortMessage = replaceAdvice(type && !message.startsWith(type) ? `${type} Error: ${message}` : message)
  const offset = position === undefined ? undefined : String(Number(position) - prefix.length)
  return { message: shortMessage, ...lineAndColumn(sql, offset, type === 'Parser' ? 'characters' : 'bytes') }
}

/** Replaces DuckDB's advice on memory and disk, because that advice names settings that a query cannot change. */
function replaceAdvice(message: string): string {
  const advice =
    /\s+(?:Database is launched|This limit was set by|Possible solutions:|Unused blocks cannot)[\s\S]*$/.exec(message)
  if (!advice) return message
  const isDisk = message.includes('max_temp_directory_size')
  return `${message.slice(0, advice.index)}\n${isDisk ? 'The query exceeded its limit on temporary disk space' : 'The query exceeded its memory limit'}. Read less data, or raise the limit with --memory on the command line.`
}

function parseError(text: string): DuckDbError {
  const start = text.indexOf('{')
  try {
    return start < 0 ? {} : (JSON.parse(text.slice(start)) as DuckDbError)
  } catch {
    return {}
  }
}

/**
 * Converts an offset to a line and a column in characters, both counted from 1. DuckDB's parser counts characters; its
 * other parts count bytes in UTF-8.
 */
export function lineAndColumn(
  sql: string,
  position: string | undefined,
  unit: 'bytes' | 'characters',
): Pick<QueryFailure, 'line' | 'column'> {
  const offset = Number(position)
  if (position === undefined || !Number.isInteger(offset) || offset < 0) return { line: null, column: null }
  const textBefore =
    unit === 'characters'
      ? [...sql].slice(0, offset).join('')
      : Buffer.from(sql, 'utf8').subarray(0, offset).toString('utf8')
  const lines = textBefore.split('\n')
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}
