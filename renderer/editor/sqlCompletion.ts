import type { SqlDictionary } from '#shared/contract/areas/sql.ts'
import { sqlName, sqlTableName } from '#shared/sql/sqlNames.ts'
import { sqlKeywords, type SqlToken, sqlTokens } from '#shared/sql/sqlTokens.ts'

export interface Completion {
  /** Text that replaces the typed word. */
  text: string
  title: string
  hint: string
}

export interface Completions {
  /** Offsets of the text that a completion replaces, from `start` to before `end`. */
  start: number
  end: number
  options: Completion[]
}

const MOST_COMPLETIONS = 12

type View = SqlDictionary['views'][number]

/** Lists completions at the cursor: views, columns of the query's views, their values, functions and keywords. */
export function sqlCompletions(
  sql: string,
  cursor: number,
  dictionary: SqlDictionary,
  isRequested = false,
): Completions {
  const tokens = sqlTokens(sql)
  const at = tokens.findLastIndex(({ start }) => start < cursor)
  const token = at < 0 ? undefined : tokens[at]
  const tokensBefore = tokens.slice(0, Math.max(0, at))
  if (token?.kind === 'comment') return { start: cursor, end: cursor, options: [] }
  if (token?.kind === 'string' && isInside(token, cursor)) return valuesIn(token, cursor, tokensBefore, dictionary)
  const word = wordBefore(sql, cursor)
  const start = cursor - word.length
  if (word === '' && !isRequested) return { start, end: cursor, options: [] }
  // A name after AS is the user’s own, so there is nothing to suggest.
  const last = tokensBefore.findLast(({ kind, text }) => kind !== 'space' && text !== word)?.text.toUpperCase()
  if (last === 'AS' || /^\d/.test(word) || token?.kind === 'parameter') return { start, end: cursor, options: [] }
  const namedViews = viewsOf(tokens, dictionary)
  const dot = word.lastIndexOf('.')
  const all =
    dot >= 0
      ? completionsAfterDot(word.slice(0, dot), namedViews, dictionary)
      : completionsWithoutDot(tokensBefore, word !== '', namedViews, dictionary)
  return { start, end: cursor, options: rankCompletions(all, word) }
}

const wordBefore = (sql: string, cursor: number): string =>
  /[\p{L}\p{N}_.]*$/u.exec(sql.slice(0, cursor))?.[0].replace(/^\.+/, '') ?? ''

const isInside = ({ text, start }: SqlToken, cursor: number): boolean =>
  text.startsWith("'") && cursor > start && (cursor < start + text.length || !/^'(?:[^']|'')*'$/.test(text))

/** Lists values of a column in a comparison such as `exchange = '` or `symbol IN ('`. */
function valuesIn(
  token: SqlToken,
  cursor: number,
  tokensBefore: readonly SqlToken[],
  { values }: SqlDictionary,
): Completions {
  const start = token.start + 1
  const noCompletions = { start: cursor, end: cursor, options: [] }
  const wordsBefore = tokensBefore
    .filter(({ kind }) => kind !== 'space' && kind !== 'comment')
    .slice(-40)
    .map(({ text }) => text)
  while (
    wordsBefore.length > 0 &&
    [',', '(', '=', 'IN', '<>', '!'].includes(wordsBefore.at(-1)!.toUpperCase()) === false
  ) {
    if (!wordsBefore.at(-1)!.startsWith("'")) return noCompletions
    wordsBefore.pop()
  }
  const column = wordsBefore
    .reverse()
    .find((text) => /^[\p{L}_]/u.test(text) && text.toUpperCase() !== 'IN' && text.toUpperCase() !== 'NOT')
    ?.toLowerCase()
  const columnValues =
    column !== undefined && Object.hasOwn(values, column) ? values[column as keyof typeof values] : []
  const typed = token.text.slice(1, cursor - token.start)
  const isClosed = token.text.length > 1 && token.text.endsWith("'")
  const options = columnValues
    .filter((value) => value.toLowerCase().includes(typed.toLowerCase()) && value !== typed)
    .slice(0, MOST_COMPLETIONS)
    .map((value) => ({ text: isClosed ? value : `${value}'`, title: value, hint: '' }))
  return { start, end: cursor, options }
}

/** Returns the views that a query reads, by their alias in the query, or else by their name. */
function viewsOf(tokens: readonly SqlToken[], { views }: SqlDictionary): Map<string, View> {
  const tokenTexts = tokens.filter(({ kind }) => kind !== 'space' && kind !== 'comment').map(({ text }) => text)
  const viewByName = new Map<string, View>()
  tokenTexts.forEach((word, at) => {
    if (tokenTexts[at + 1] !== '.') return
    const view = views.find(
      ({ schema, name }) => schema === word.toLowerCase() && name === tokenTexts[at + 2]?.toLowerCase(),
    )
    if (!view) return
    const next = tokenTexts[at + 3]?.toUpperCase() === 'AS' ? tokenTexts[at + 4] : tokenTexts[at + 3]
    const isAlias = next !== undefined && /^[\p{L}_]/u.test(next) && !sqlKeywords.includes(next.toUpperCase())
    viewByName.set(isAlias ? next.toLowerCase() : view.name, view)
  })
  return viewByName
}

function completionsAfterDot(
  prefix: string,
  namedViews: ReadonlyMap<string, View>,
  { views }: SqlDictionary,
): Completion[] {
  const view = namedViews.get(prefix.toLowerCase())
  const columns = view ? columnsOf(view).map((each) => ({ ...each, text: `${prefix}.${each.text}` })) : []
  const viewsInSchema = views.filter(({ schema }) => schema === prefix.toLowerCase()).map(viewEntry)
  return [...columns, ...viewsInSchema]
}

function completionsWithoutDot(
  tokensBefore: readonly SqlToken[],
  hasWord: boolean,
  namedViews: ReadonlyMap<string, View>,
  { views, functions }: SqlDictionary,
): Completion[] {
  const last = tokensBefore.findLast(({ kind }) => kind === 'keyword')?.text.toUpperCase()
  const tables = views.map(viewEntry)
  if (last === 'FROM' || last === 'JOIN') return [...tables, ...keywordEntries]
  const columns =
    namedViews.size > 0 ? [...new Set(namedViews.values())].flatMap(columnsOf) : hasWord ? allColumns(views) : []
  const functionEntries = functions.map(({ name, signature, description }) => ({
    text: `${name}(`,
    title: signature,
    hint: description,
  }))
  return hasWord ? [...columns, ...functionEntries, ...tables, ...keywordEntries] : [...columns, ...functionEntries]
}

/** Lists the columns of all views, for a query that does not name a view yet. */
const allColumns = (views: readonly View[]): Completion[] =>
  views.flatMap((view) =>
    columnsOf(view).map((column) => ({ ...column, hint: `${view.schema}.${view.name} · ${column.hint}` })),
  )

const keywordEntries: readonly Completion[] = sqlKeywords.map((word) => ({ text: word, title: word, hint: '' }))

const viewEntry = (view: View): Completion => ({
  text: sqlTableName(view),
  title: `${view.schema}.${view.name}`,
  hint: view.description,
})

const columnsOf = ({ columns }: View): Completion[] =>
  columns.map(({ name, type, label, description, units }) => ({
    text: sqlName(name),
    title: name,
    hint: [label, units, description, type].filter(Boolean).join(' · '),
  }))

/** Returns the best matching completions without duplicates; those that begin with the word come first. */
function rankCompletions(all: readonly Completion[], word: string): Completion[] {
  const wanted = word.toLowerCase()
  const last = wanted.slice(wanted.lastIndexOf('.') + 1)
  const rank = ({ text, title }: Completion) => {
    const lower = text.toLowerCase()
    if (lower.startsWith(wanted)) return 0
    return title.toLowerCase().startsWith(last) || lower.includes(`.${last}`) ? 1 : 2
  }
  const seen = new Set<string>()
  return all
    .filter(({ text }) => text.toLowerCase().includes(wanted) && text.toLowerCase() !== wanted)
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MOST_COMPLETIONS)
}

/** Returns the offset of a line and column, both counted from 1, columns in code points. */
export function placeAt(sql: string, line: number, column: number): number {
  const lines = sql.split('\n')
  const offsetBefore = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  const lineStart = [...(lines.at(line - 1) ?? '')].slice(0, column - 1).join('')
  return offsetBefore + lineStart.length
}
