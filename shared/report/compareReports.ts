import { unescapeHtml } from './escapeHtml.ts'
import { REPORT_BLOCK } from './reportHtml.ts'

/**
 * A place where two reports differ; `was` or `now` is null if that report lacks it. The first is the recorded report,
 * the second the one that was computed again.
 */
export interface ReportDifference {
  /** Location in the report, such as `Figures › Sharpe ratio › Value`. */
  at: string
  was: string | null
  now: string | null
}

/** Differences of two reports. */
interface ComparedReports {
  /** Numbers and texts that differ. */
  shown: ReportDifference[]
  /** Markup of the recorded report that Perpscope does not write, which may hide or replace what it shows. */
  markup: ReportDifference[]
}

/**
 * Compares a recorded report with the one computed again. Everything but the data block, which nobody sees, has to be
 * the same text, so that no markup can hide or replace a number; the numbers and texts that differ are named one by one.
 */
export function compareReports(recorded: string, replayed: string): ComparedReports {
  const [was, now] = [partsOf(recorded), partsOf(replayed)]
  // Most replays give the same page, whose numbers need no comparison one by one.
  const isSameBody = was.body === now.body
  const shown = isSameBody ? [] : compareShown(shownValues(was.body), shownValues(now.body))
  const markup = [
    ...differenceOf('Page › head', was.head, now.head),
    ...(isSameBody ? [] : foreignMarkup(was.body, now.body)),
    ...differenceOf('Page › end', was.end, now.end),
  ]
  if (!isSameBody && shown.length + markup.length === 0) markup.push(...differenceOf('Page › body', was.body, now.body))
  return { shown, markup }
}

/** Splits a report into its head, what a person sees, and what follows the data block. */
function partsOf(html: string): Record<'head' | 'body' | 'end', string> {
  const bodyStart = Math.max(0, html.indexOf('</head>'))
  const blockStart = html.lastIndexOf(REPORT_BLOCK)
  const blockEnd = html.indexOf('</script>', blockStart)
  return { head: html.slice(0, bodyStart), body: html.slice(bodyStart, blockStart), end: html.slice(blockEnd) }
}

const MOST_QUOTED = 80

/** Quotes two texts from where they begin to differ. */
function differenceOf(at: string, was: string, now: string): ReportDifference[] {
  if (was === now) return []
  let from = 0
  while (was[from] === now[from]) from++
  const quote = (text: string) => text.slice(from, from + MOST_QUOTED).trim() || null
  return [{ at, was: quote(was), now: quote(now) }]
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:\s[^<>]*)?)>|([^<]+)|(<)/gi
const ATTRIBUTE = /(?<![a-z-])([a-z-]+)="([^"]*)"/gi

/** Lists the kinds of markup that only the recorded report has, such as an element or an attribute. */
function foreignMarkup(was: string, now: string): ReportDifference[] {
  const known = markupKinds(now)
  return [...markupKinds(was)]
    .filter(([kind]) => !known.has(kind))
    .map(([kind, example]) => ({ at: `Page › ${kind}`, was: example, now: null }))
}

/** Finds the kinds of markup in a page, each with an example: `svg role tabindex` is an element with its attributes. */
function markupKinds(html: string): Map<string, string> {
  const kinds = new Map<string, string>()
  for (const match of html.matchAll(TOKEN)) {
    const [token, slash, name, attributes, text] = match as unknown as (string | undefined)[]
    if (text !== undefined || slash) continue
    const kind =
      name === undefined
        ? 'markup that is no element'
        : ['element', name.toLowerCase(), attributes?.replace(/"[^"]*"/g, '')]
            .join(' ')
            .replace(/[\s=]+/g, ' ')
            .trim()
    const example = name === undefined ? html.slice(match.index, match.index + MOST_QUOTED) : (token ?? '')
    if (!kinds.has(kind)) kinds.set(kind, example.slice(0, MOST_QUOTED))
  }
  return kinds
}

/** Numbers and texts of a report by location, such as `Figures › Sharpe ratio › Value`. */
type ShownValues = Map<string, string>

/**
 * Collects everything that a report shows: the numbers of tables in full and as shown, hover values of charts, texts and
 * drawings.
 */
export function shownValues(html: string): ShownValues {
  const walk = new PageWalk()
  for (const match of html.matchAll(TOKEN)) {
    const [, slash, name = '', attributes = '', text] = match as unknown as (string | undefined)[]
    if (text !== undefined) walk.text(unescapeHtml(text))
    else if (slash) walk.close(name.toLowerCase())
    else walk.open(name.toLowerCase(), attributesOf(attributes))
  }
  return walk.values
}

const attributesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name.toLowerCase(), unescapeHtml(value)]))

class PageWalk {
  readonly values: ShownValues = new Map()
  #section = 'Heading'
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
    this.#collectAttributes(name, attributes)
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
    this.#put(this.#isData ? `${this.#cell()} (as shown)` : `${this.#cell()} (text)`, shown)
  }

  #cell(): string {
    if (this.#column < 0) return this.#section
    return `${this.#section} › ${this.#row} › ${this.#columns[this.#column] ?? this.#column + 1}`
  }

  /** Collects attributes, which draw charts and lay out text; the points of a chart are compared one by one elsewhere. */
  #collectAttributes(name: string, attributes: Map<string, string>): void {
    for (const [key, value] of attributes) {
      if (key === 'data-points' || (name === 'data' && key === 'value')) continue
      this.#attributeCount += 1
      this.#put(`${this.#section} › drawing › ${name} ${key} ${this.#attributeCount}`, value)
    }
  }

  #collectHoverValues(points: string): void {
    try {
      const parsed = JSON.parse(points) as {
        series?: HoverSeries[]
        names?: string[] | null
        isNumber?: boolean
      }
      const { series = [], names = null, ...axis } = parsed
      this.#put(`${this.#section} › axis`, JSON.stringify({ names, ...axis }))
      for (const { label, x, start = 0, step = 0, values } of series)
        values.forEach((value, at) => {
          const place = x ? x[at] : start + at * step
          const axisLabel = names ? (names[place] ?? String(place)) : parsed.isNumber ? String(place) : isoTime(place)
          this.#put(`${this.#section} › ${label} › ${axisLabel}`, value === null ? '–' : String(value))
        })
    } catch {
      // An edited attribute may be of any shape.
      this.#put(`${this.#section} › hover`, points)
    }
  }

  #put(at: string, value: string): void {
    const count = (this.#counts.get(at) ?? 0) + 1
    this.#counts.set(at, count)
    this.values.set(count === 1 ? at : `${at} #${count}`, value)
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

/**
 * Compares what two reports show. A difference in a drawing or shown text is not listed if the values behind it already
 * differ.
 */
function compareShown(was: ShownValues, now: ShownValues): ReportDifference[] {
  const places = new Set([...was.keys(), ...now.keys()])
  const differing = new Set([...places].filter((at) => was.get(at) !== now.get(at)))
  const isDrawing = (at: string) => / › (?:drawing|axis)\b/.test(at)
  const sections = new Set([...differing].filter((at) => !isDrawing(at)).map((at) => at.split(' › ')[0]))
  const isConsequence = (at: string) =>
    at.endsWith(' (as shown)')
      ? differing.has(at.slice(0, -' (as shown)'.length))
      : isDrawing(at) && sections.has(at.split(' › ')[0])
  return [...differing]
    .filter((at) => !isConsequence(at))
    .map((at) => ({ at, was: was.get(at) ?? null, now: now.get(at) ?? null }))
}
