import { editDistance } from '#shared/catalog/editDistance.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cutWords } from '#shared/units/cutWords.ts'
import type { QueryFailure, QueryRefusal } from './sqlTask.ts'
import { sqlTables, tableName } from './tableCatalog.ts'

/** The query was refused before it ran, because it is not a single SELECT or would access more than the tables. */
export class SqlRefused extends AppError {
  readonly refusal: QueryRefusal
  constructor(refusal: QueryRefusal) {
    super('unsupported', cutWords(refusalText(refusal)))
    this.refusal = refusal
  }
}

/**
 * The query failed while it ran; the message is DuckDB's, except that it suggests our tables instead of DuckDB's own.
 */
export class SqlFailed extends AppError {
  readonly failure: QueryFailure
  constructor(found: QueryFailure) {
    const failure = { ...found, message: cutWords(suggestOwnTables(found.message)) }
    const { message, line, column } = failure
    super('rejected', line === null ? message : `${message}\nLine ${line}, column ${column}.`)
    this.failure = failure
  }
}

/** The query was stopped because it took too long or too much memory, or because its engine ended. */
export class SqlStopped extends AppError {
  constructor(detail: string) {
    super('too-large', detail)
  }
}

/** The engine crashed while it ran the query, perhaps because of a file. */
export class SqlCrashed extends SqlStopped {
  /** @param cause a sentence about the file that may be the cause; empty if none is known */
  constructor(cause = '') {
    super(`The SQL engine crashed while it ran this query. ${cause}${RESTART_TEXT}`)
  }
}

/** Sentence behind each message about an ended engine. */
export const RESTART_TEXT = 'The next query starts a new engine.'

/** The query was not run, because some of its parameters have no value. */
export class SqlParametersMissing extends AppError {
  readonly names: string[]
  /** Names of all parameters of the query, with a value or without. */
  readonly allNames: string[]
  constructor(names: string[], allNames: string[]) {
    super('bad-input', cutWords(`No value for ${names.map((name) => `$${name}`).join(', ')}.`))
    this.names = names
    this.allNames = allNames
  }
}

/** Suggests tables of Perpscope with the same or the nearest name in any schema, because DuckDB suggests its internal tables. */
function suggestOwnTables(message: string): string {
  const [found, table] = /Table with name (\w+) does not exist!(?:\s*Did you mean "[^"]*"\?)?/.exec(message) ?? []
  if (found === undefined) return message
  const typed = table.toLowerCase()
  const distances = sqlTables.map(({ name }) => editDistance(typed, name))
  const nearest = Math.min(...distances)
  const isNear = nearest <= Math.max(1, Math.floor(typed.length / 3)) && nearest < typed.length
  const tableNames = sqlTables.filter((_, at) => isNear && distances[at] === nearest).map(tableName)
  const suggestion =
    tableNames.length > 0 ? `Did you mean ${tableNames.join(' or ')}?` : 'List the tables with SHOW ALL TABLES.'
  return message.replace(found, `There is no table ${table}. ${suggestion}`)
}

const sizeText: Readonly<Record<string, string>> = {
  bytes: 'The text is longer than 100 kB.',
  nodes: 'The text has more than 10,000 expressions and tables. Write fewer, or join with a table of the values.',
  operators: 'The text has too many operator characters in a row.',
}

/** Explains why a query is refused, and what to write instead. */
function refusalText({ reason, name }: QueryRefusal): string {
  switch (reason) {
    case 'empty':
      return 'There is no statement. Write one SELECT.'
    case 'several':
      return 'There are several statements. Only one SELECT runs at a time.'
    case 'pivot':
      return 'PIVOT without IN is refused, because it needs several statements. List the values: PIVOT … ON column IN (…).'
    case 'table-function':
      return `The table function ${name} is refused. Queries read the tables of Perpscope; list them with SHOW ALL TABLES.`
    case 'function':
      return `The function ${name} is refused, because it reaches outside the query.`
    case 'file':
      return `The file “${name}” is refused. Queries read the tables of Perpscope, such as metrics.ohlcv; list them with SHOW ALL TABLES.`
    case 'table':
      return `The table ${name} is refused. Queries read the tables of Perpscope; list them with SHOW ALL TABLES.`
    case 'text':
      return 'The text contains characters that no statement may contain (NUL, or an incomplete character).'
    case 'size':
      return sizeText[name]
    case 'statement':
      return `${name || 'This statement'} is refused. Queries only read: write one SELECT (or WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW).`
  }
}
