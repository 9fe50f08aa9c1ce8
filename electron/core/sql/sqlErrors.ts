import { AppError } from '#shared/contract/errors.ts'
import type { QueryFailure, QueryRefusal } from './sqlTask.ts'
import { sqlTables, tableName } from './tableCatalog.ts'

/** The query was refused before it ran: not a single SELECT, or a SELECT that would access something outside. */
export class SqlRefused extends AppError {
  readonly refusal: QueryRefusal
  constructor(refusal: QueryRefusal) {
    super('unsupported', refusalText(refusal))
    this.refusal = refusal
  }
}

/** The query failed while it ran; the message is DuckDB's, but suggests our tables instead of DuckDB's. */
export class SqlFailed extends AppError {
  readonly failure: QueryFailure
  constructor(found: QueryFailure) {
    const failure = { ...found, message: suggestOwnTables(found.message) }
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

/** Parameters of the query have no value. */
export class SqlParametersMissing extends AppError {
  readonly names: string[]
  /** Names of all parameters of the query. */
  readonly all: string[]
  constructor(names: string[], all: string[]) {
    super('bad-input', `No value for ${names.map((name) => `$${name}`).join(', ')}.`)
    this.names = names
    this.all = all
  }
}

/** Shows the tables of Perpscope with this name in other schemas, because DuckDB suggests its internal tables. */
function suggestOwnTables(message: string): string {
  const [found, table] = /Table with name (\w+) does not exist!(?:\s*Did you mean "[^"]*"\?)?/.exec(message) ?? []
  if (found === undefined) return message
  const tableNames = sqlTables.filter(({ name }) => name === table.toLowerCase()).map(tableName)
  const offer =
    tableNames.length > 0 ? `Did you mean ${tableNames.join(' or ')}?` : 'List the tables with SHOW ALL TABLES.'
  return message.replace(found, `There is no table ${table}. ${offer}`)
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
      return 'The text has characters that no statement may have (NUL, or an incomplete character).'
    case 'size':
      return 'The text is longer than 1,000,000 characters.'
    case 'statement':
      return `${name || 'This statement'} is refused. Queries only read: write one SELECT (or WITH, VALUES, FROM, DESCRIBE, SUMMARIZE, SHOW).`
  }
}
