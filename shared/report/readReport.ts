import { unescapeHtml } from './escapeHtml.ts'
import { REPORT_BLOCK, REPORT_END, REPORT_FORMAT, REPORT_VERSION } from './reportHtml.ts'

/** The data block of a report. Its query is validated only when the report is computed again. */
export interface ParsedReport {
  app: string
  kind: string
  connection: { id: string; name: string }
  definitions: Record<string, number>
  sources: { path: string; sha256: string }[]
  note: string
  query: unknown
}

/** Reason why a file cannot be replayed, as the end of a sentence that begins with the name of the file. */
export interface ReportProblem {
  problem: string
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const CUT_OFF = 'was cut off: the end of the report is missing.'

/** Reads the data block of a report, which a replay needs. */
export function readReport(html: string): ParsedReport | ReportProblem {
  const start = html.lastIndexOf(REPORT_BLOCK)
  if (start < 0) return { problem: html.includes('content="Perpscope ') ? CUT_OFF : 'is not a report of Perpscope.' }
  if (!html.endsWith(REPORT_END)) return { problem: CUT_OFF }
  const from = start + REPORT_BLOCK.length
  const end = html.indexOf('</script>', from)
  let block: unknown
  try {
    block = JSON.parse(html.slice(from, end))
  } catch {
    return { problem: 'is damaged: its query cannot be read.' }
  }
  return checkedBlock(block)
}

function checkedBlock(block: unknown): ParsedReport | ReportProblem {
  if (!isRecord(block) || block.format !== REPORT_FORMAT) return { problem: 'is not a report of Perpscope.' }
  if (typeof block.version !== 'number' || block.version > REPORT_VERSION)
    return { problem: 'was written by a newer version of Perpscope; update Perpscope to replay it.' }
  const { app, kind, connection, definitions, sources, note, query } = block
  const isValid =
    typeof app === 'string' &&
    typeof kind === 'string' &&
    typeof note === 'string' &&
    isRecord(connection) &&
    typeof connection.id === 'string' &&
    typeof connection.name === 'string' &&
    isRecord(definitions) &&
    Object.values(definitions).every((version) => typeof version === 'number') &&
    Array.isArray(sources) &&
    sources.every((each) => isRecord(each) && typeof each.path === 'string' && typeof each.sha256 === 'string')
  if (!isValid) return { problem: 'is damaged: its sources or definitions cannot be read.' }
  return {
    app,
    kind,
    connection: { id: String(connection.id), name: String(connection.name) },
    definitions: definitions as Record<string, number>,
    sources: sources as ParsedReport['sources'],
    note,
    query,
  }
}

/** Numbers of a report by their location, such as `Figures › Sharpe ratio › Value`. */
export type ReportNumbers = Map<string, string>

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>|([^<]+)/gi
const ATTRIBUTE = /([a-z-]+)="([^"]*)"/gi

/**
 * Collects every number of a report: those of tables in full and as shown, hover values of charts, and those in
 * drawings and texts. Notes are skipped because they are the user's, and sources are compared separately.
 */
export function numbersOfReport(html: string): ReportNumbers {
  const walk = new NumberWalk()
  const body = html.slice(html.indexOf('<header>'), html.lastIndexOf(REPORT_BLOCK))
  for (const [, slash, name = '', attributes = '', text] of body.matchAll(TOKEN) as Iterable<(string | undefined)[]>) {
    if (text !== undefined) walk.text(unescapeHtml(text))
    else if (slash) walk.close(name.toLowerCase())
    else walk.open(name.toLowerCase(), attributesOf(attributes))
  }
  return walk.numbers
}

const attributesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name.toLowerCase(), unescapeHtml(value)]))

class NumberWalk {
  readonly numbers: ReportNumbers = new Map()
  #section = 'Heading'
  #isLeftOut = false
  #columns: string[] = []
  #row = ''
  #column = -1
  #isHead = false
  #isData = false
  #attributeCount = 0
  #counts = new Map<string, number>()

  open(name: string, attributes: Map<string, string>): void {
    if (name === 'section') {
      this.#section = attributes.get('aria-label') ?? ''
      this.#isLeftOut = ['note', 'sources'].includes(attributes.get('data-kind') ?? '')
      this.#attributeCount = 0
    }
    if (name === 'thead') [this.#isHead, this.#columns] = [true, []]
    if (name === 'tr') [this.#row, this.#column] = ['', -1]
    if (name === 'th' || name === 'td') this.#column += 1
    if (name === 'data') {
      this.#isData = true
      this.#put(this.#cell(), attributes.get('value') ?? '')
    }
    const points = attributes.get('data-points')
    if (points !== undefined) this.#collectHoverValues(points)
    this.#collectDrawing(name, attributes)
  }

  close(name: string): void {
    if (name === 'thead') this.#isHead = false
    if (name === 'data') this.#isData = false
    if (name === 'table') [this.#row, this.#column, this.#columns] = ['', -1, []]
  }

  text(text: string): void {
    const shown = text.trim()
    if (shown === '') return
    if (this.#isHead) this.#columns[this.#column] = shown
    else if (this.#column === 0 && this.#row === '') this.#row = shown
    if (/\d/.test(shown)) this.#put(this.#isData ? `${this.#cell()} (as shown)` : `${this.#cell()} (text)`, shown)
  }

  #cell(): string {
    if (this.#column < 0) return this.#section
    return `${this.#section} › ${this.#row} › ${this.#columns[this.#column] ?? this.#column + 1}`
  }

  /** Collects the numbers in attributes of drawings; the points are compared one by one elsewhere. */
  #collectDrawing(name: string, attributes: Map<string, string>): void {
    for (const [key, value] of attributes) {
      if (['class', 'data-points', 'value', 'id'].includes(key) || !/\d/.test(value)) continue
      this.#attributeCount += 1
      this.#put(`${this.#section} › drawing › ${name} ${key} ${this.#attributeCount}`, value)
    }
  }

  #collectHoverValues(points: string): void {
    let parsed: unknown
    try {
      parsed = JSON.parse(points)
    } catch {
      this.#put(`${this.#section} › hover`, points)
      return
    }
    const { series = [], names = null, ...axis } = parsed as { series?: HoverSeries[]; names?: string[] | null }
    this.#put(`${this.#section} › axis`, JSON.stringify({ names, ...axis }))
    for (const { label, x, start = 0, step = 0, values } of series)
      values.forEach((value, at) => {
        const place = x ? x[at] : start + at * step
        const axisLabel = names ? (names[place] ?? String(place)) : isoTime(place)
        this.#put(`${this.#section} › ${label} › ${axisLabel}`, value === null ? '–' : String(value))
      })
  }

  #put(at: string, value: string): void {
    if (this.#isLeftOut) return
    const count = (this.#counts.get(at) ?? 0) + 1
    this.#counts.set(at, count)
    this.numbers.set(count === 1 ? at : `${at} #${count}`, value)
  }
}

interface HoverSeries {
  label: string
  x?: number[]
  start?: number
  step?: number
  values: (number | null)[]
}

const isoTime = (timeMs: number): string =>
  Number.isFinite(timeMs) && Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : String(timeMs)

/** A number that differs between two reports; `was` or `now` is null if that report lacks it. */
export interface NumberDifference {
  /** Location of the number. */
  at: string
  was: string | null
  now: string | null
}

/**
 * Compares two sets of numbers. A difference in a drawing or shown text is not listed if the values behind it already
 * differ.
 */
export function compareNumbers(was: ReportNumbers, now: ReportNumbers): NumberDifference[] {
  const places = new Set([...was.keys(), ...now.keys()])
  const differing = [...places].filter((at) => was.get(at) !== now.get(at))
  const isConsequence = (at: string) => {
    if (at.endsWith(' (as shown)')) return differing.includes(at.slice(0, -' (as shown)'.length))
    const [section, part] = at.split(' › ')
    return (part === 'drawing' || part === 'axis') && charts.has(section)
  }
  const charts = new Set(differing.filter((at) => !/ › (?:drawing|axis)\b/.test(at)).map((at) => at.split(' › ')[0]))
  return differing
    .filter((at) => !isConsequence(at))
    .map((at) => ({ at, was: was.get(at) ?? null, now: now.get(at) ?? null }))
}
