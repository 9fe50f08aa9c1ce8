import type { TableColumn } from '#shared/sheet/columns.ts'
import { formatTime, type Zone } from '#shared/units/instants.ts'
import { tablesText } from '../text/tables.ts'
import type { Condition } from '#shared/tables/arrangement.ts'

const { filterLanguage: text } = tablesText

/** A parsed filter: its conditions, or the first problem in it. */
type ParsedFilter = { conditions: readonly Condition[]; problem: null } | { conditions: []; problem: string }

interface FilterVocabulary {
  columns: readonly Pick<TableColumn, 'key' | 'title' | 'kind'>[]
  /** Time zone of typed dates, which is the zone in which the table shows times. */
  zone: Zone
}

type Sign = '>' | '>=' | '<' | '<=' | '=' | '!='
type Column = FilterVocabulary['columns'][number]
/** Half-open range of the values that a typed number or date stands for; a day stands for all of its instants. */
interface Extent {
  from: number
  to: number
}

/**
 * Opposite of each comparison. A negated comparison becomes its opposite, so that a missing value satisfies neither of
 * them.
 */
const oppositeOf: Record<Sign, Sign> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>', '=': '!=', '!=': '=' }
const spellings: Record<string, Sign> = { '==': '=', '<>': '!=', '≥': '>=', '≤': '<=', '≠': '!=' }

/** Error whose message is the problem of a filter; only `parseFilter` catches it. */
class FilterProblem extends Error {}

/**
 * Parses a filter such as `volume > 100 and not (spread missing or time < 2026-08-02)`. Columns are named by key or
 * title; words that name no column are searched for in text columns. Adjacent conditions must all hold, as with `and`.
 */
export function parseFilter(typed: string, vocabulary: FilterVocabulary): ParsedFilter {
  if (typed.trim() === '') return { conditions: [], problem: null }
  try {
    const parser = new FilterParser(typed, vocabulary)
    return { conditions: [parser.parse()], problem: null }
  } catch (error) {
    if (error instanceof FilterProblem) return { conditions: [], problem: error.message }
    throw error
  }
}

class FilterParser {
  #rest: string
  readonly #vocabulary: FilterVocabulary
  /** Names of the columns, longest first, because one name may be the prefix of another. */
  readonly #names: readonly { name: string; column: Column }[]

  constructor(typed: string, vocabulary: FilterVocabulary) {
    this.#rest = typed.trimStart()
    this.#vocabulary = vocabulary
    this.#names = vocabulary.columns
      .flatMap((column) => [column.key, column.title].map((name) => ({ name: name.toLowerCase(), column })))
      .sort((a, b) => b.name.length - a.name.length)
  }

  parse(): Condition {
    const condition = this.#alternatives(false)
    if (this.#rest !== '') throw new FilterProblem(text.unexpected(this.#rest))
    return condition
  }

  #alternatives(isNot: boolean): Condition {
    const parts = [this.#conjunction(isNot)]
    while (this.#take(/^(or\b|\|\|?)/i)) parts.push(this.#conjunction(isNot))
    return joinedBy(parts, isNot ? 'all' : 'any')
  }

  #conjunction(isNot: boolean): Condition {
    const parts = [this.#operand(isNot)]
    while (this.#take(/^(and\b|&&?)/i) || !this.#isEndOfPart()) parts.push(this.#operand(isNot))
    return joinedBy(parts, isNot ? 'any' : 'all')
  }

  #isEndOfPart(): boolean {
    return this.#rest === '' || /^(or\b|\||\))/i.test(this.#rest)
  }

  #operand(isNot: boolean): Condition {
    if (this.#take(/^(not\b|!(?!=))/i)) return this.#operand(!isNot)
    if (!this.#take(/^\(/)) return this.#condition(isNot)
    const inside = this.#alternatives(isNot)
    if (!this.#take(/^\)/)) throw new FilterProblem(text.unclosed)
    return inside
  }

  #condition(isNot: boolean): Condition {
    if (this.#rest === '') throw new FilterProblem(text.ended)
    const column = this.#column()
    if (column) return this.#comparison(column, isNot)
    const day = this.#date()
    if (day) return this.#onDay(day, isNot)
    const word = this.#word()
    const [sign] = /^([<>=!]=?|<>|[≥≤≠])/.exec(this.#rest) ?? []
    const hasText = this.#vocabulary.columns.some(({ kind }) => kind === 'text')
    if (sign || !hasText) throw new FilterProblem(text.unknownColumn(word, this.#titles()))
    return { word, isAbsent: isNot }
  }

  #comparison(column: Column, isNot: boolean): Condition {
    if (this.#take(/^(is\s+)?(missing|null|empty)\b/i)) return { key: column.key, isMissing: !isNot }
    if (this.#take(/^is\s+not\s+(missing|null|empty)\b/i)) return { key: column.key, isMissing: isNot }
    const typedSign = this.#take(/^(>=|<=|==|!=|<>|[<>=≥≤≠])/)
    if (!typedSign) throw new FilterProblem(text.noSign(column.title))
    const typed = spellings[typedSign] ?? (typedSign as Sign)
    const sign = isNot ? oppositeOf[typed] : typed
    if (column.kind === 'text') return this.#textComparison(column, sign, typedSign)
    const operand = column.kind === 'time' ? this.#date() : this.#number()
    if (!operand)
      throw new FilterProblem((column.kind === 'time' ? text.noDate : text.noNumber)(column.title, typedSign))
    return rangeCondition(column.key, sign, operand)
  }

  #textComparison({ key, title }: Column, sign: Sign, typedSign: string): Condition {
    if (sign !== '=' && sign !== '!=') throw new FilterProblem(text.noOrder(title, typedSign))
    if (this.#rest === '') throw new FilterProblem(text.ended)
    return { key, word: this.#word(), isWhole: true, isAbsent: sign === '!=' }
  }

  #onDay(day: Extent, isNot: boolean): Condition {
    const time = this.#vocabulary.columns.find(({ kind }) => kind === 'time')
    if (!time) throw new FilterProblem(text.noTimeColumn)
    return rangeCondition(time.key, isNot ? '!=' : '=', day)
  }

  #column(): Column | null {
    const quoted = /^["“]([^"”]*)["”]/.exec(this.#rest)
    const typed = (quoted ? quoted[1] : this.#rest).toLowerCase()
    const found = this.#names.find(({ name }) =>
      quoted ? typed === name : typed.startsWith(name) && /^($|[\s<>=!≥≤≠)])/.test(typed.slice(name.length)),
    )
    if (!found) return null
    this.#skip(quoted ? quoted[0].length : found.name.length)
    return found.column
  }

  #number(): Extent | null {
    const [typed] = /^[-−+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?(%|\s?bps)?(?=$|[\s)&|])/i.exec(this.#rest) ?? []
    if (!typed) return null
    this.#skip(typed.length)
    const divisor = typed.endsWith('%') ? 100 : /bps$/i.test(typed) ? 10_000 : 1
    const value = parseFloat(typed.replace('−', '-')) / divisor
    return { from: value, to: value + Math.max(Number.MIN_VALUE, Math.abs(value) * Number.EPSILON) }
  }

  #date(): Extent | null {
    const pattern = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?)?(Z?)(?=$|[\s)&|])/
    const match = pattern.exec(this.#rest)
    if (!match) return null
    const [typed, ...parts] = match
    const extent = dateExtent(parts.slice(0, 6), parts[6] === 'Z' ? 'utc' : this.#vocabulary.zone)
    if (!extent) throw new FilterProblem(text.noSuchDate(typed))
    this.#skip(typed.length)
    return extent
  }

  #word(): string {
    const quoted = /^["“]([^"”]*)["”]/.exec(this.#rest)
    const [typed] = quoted ?? /^[^\s()<>=!≥≤≠&|]+/.exec(this.#rest) ?? []
    if (!typed) throw new FilterProblem(text.unexpected(this.#rest))
    this.#skip(typed.length)
    return quoted ? quoted[1] : typed
  }

  #take(pattern: RegExp): string | null {
    const [typed] = pattern.exec(this.#rest) ?? []
    if (typed === undefined) return null
    this.#skip(typed.length)
    return typed
  }

  #skip(letters: number): void {
    this.#rest = this.#rest.slice(letters).trimStart()
  }

  #titles(): string[] {
    return this.#vocabulary.columns.map(({ title }) => title)
  }
}

const joinedBy = (parts: readonly Condition[], how: 'any' | 'all'): Condition =>
  parts.length === 1 ? parts[0] : how === 'any' ? { any: parts } : { all: parts }

/** Builds the condition for a comparison with a typed value: `time > 2026-08-02` holds from the end of that day on. */
function rangeCondition(key: string, sign: Sign, { from, to }: Extent): Condition {
  const conditionBySign: Record<Sign, Condition> = {
    '>': { key, from: to },
    '>=': { key, from },
    '<': { key, to: from },
    '<=': { key, to },
    '=': { key, from, to },
    '!=': {
      any: [
        { key, to: from },
        { key, from: to },
      ],
    },
  }
  return conditionBySign[sign]
}

/** Returns the range of a month, day, minute or second; null for a date that does not exist. */
function dateExtent(typed: readonly (string | undefined)[], zone: Zone): Extent | null {
  const parts = typed.filter((part) => part !== undefined).map(Number)
  const instantOf = ([year, month, day = 1, hour = 0, minute = 0, second = 0]: number[]) =>
    zone === 'utc'
      ? Date.UTC(year, month - 1, day, hour, minute, second)
      : new Date(year, month - 1, day, hour, minute, second).getTime()
  const from = instantOf(parts)
  const next = parts.with(-1, parts[parts.length - 1] + 1)
  const wallClock = formatTime(from, zone, 'second').split(/\D/)
  // A date such as 31 February formats back to another date.
  return parts.every((part, at) => part === Number(wallClock[at])) ? { from, to: instantOf(next) } : null
}
