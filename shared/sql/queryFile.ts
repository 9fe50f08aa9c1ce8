/**
 * File name suffix of a shared query. Such a file, which `perpscope sql --file` accepts, is SQL with comments for its
 * name and parameter values.
 */
export const QUERY_SUFFIX = '.sql'
export const MOST_QUERY_BYTES = 4_000_000

interface QueryFile {
  name: string
  sql: string
  parameters: Record<string, string>
}

const nameLine = /^-- name: (.*)$/s
const parameterLine = /^-- \$([\p{L}\p{N}_]{1,100}) = (".*")$/su

/** Writes a query as the text of a file. */
export function writeQueryFile({ name, sql, parameters }: QueryFile): string {
  const values = Object.entries(parameters).map(([key, value]) => `-- $${key} = ${JSON.stringify(value)}`)
  return [`-- name: ${name.replaceAll(/\s+/g, ' ')}`, ...values, sql.trimEnd(), ''].join('\n')
}

/** Parses a query file; any text is valid, and is named after the file unless a comment names it. */
export function readQueryFile(text: string, fileName: string): QueryFile {
  const lines = text.replaceAll(/\r+\n/g, '\n').split('\n')
  // A Map instead of an object, because a parameter may be named __proto__.
  const parameters = new Map<string, string>()
  let name = ''
  let at = 0
  for (; at < lines.length; at++) {
    const nameMatch = nameLine.exec(lines[at])
    const value = parameterLine.exec(lines[at])
    if (nameMatch) name = nameMatch[1].trim()
    else if (value) parameters.set(value[1], textOf(value[2]))
    else break
  }
  const nameOfFile = fileName.replace(/\.sql$/i, '').trim()
  return {
    name: (name || nameOfFile || 'Query').slice(0, 120).toWellFormed(),
    sql: lines.slice(at).join('\n').trimEnd(),
    parameters: Object.fromEntries(parameters),
  }
}

function textOf(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return ''
  }
}
