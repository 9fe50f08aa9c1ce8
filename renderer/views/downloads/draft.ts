import type { LocationQuery } from 'vue-router'
import {
  downloadRequest,
  type DownloadRequest,
  type DownloadSet,
  type DownloadSetFields,
  requestOfSet,
} from '#shared/contract/areas/downloads.ts'
import { shortSymbol } from '#shared/catalog/symbols.ts'
import { type PreviewSlice, sliceDays } from '#shared/contract/previewSlice.ts'
import { addDays, type Day, dayOf, parseDay } from '#shared/time.ts'
import { downloadsText } from '../../text/downloads.ts'

/** Contents of the form: a request that may still be incomplete. */
export type Draft = Pick<
  DownloadRequest,
  'kind' | 'datasets' | 'exchanges' | 'symbols' | 'list' | 'intervals' | 'timestamps' | 'startDay' | 'endDay'
> & { tryLocked: boolean }

/** Reads the symbols that another screen passed in the history state, because they are too many for the address. */
export function symbolsOfState(state: unknown): string[] {
  const symbols = (state as { symbols?: unknown } | null)?.symbols
  return Array.isArray(symbols) ? symbols.filter((each) => typeof each === 'string') : []
}

/**
 * Builds a draft from an address (`?dataset=flow,vtwap&exchange=…&symbol=…&start=…&end=…`, or `list=…`), with defaults
 * for the rest.
 */
export function draftOf(
  query: LocationQuery,
  nowMs: number,
  firstVenue: string | null,
  passedSymbols: string[] = [],
): Draft {
  const range = presetDays('month', nowMs)
  const valuesOf = (name: string) =>
    [query[name] ?? []].flat().flatMap((text) => text?.split(',').filter(Boolean) ?? [])
  const valuesOr = (name: string, byDefault: string[]) => (valuesOf(name).length > 0 ? valuesOf(name) : byDefault)
  const dayOr = (name: string, byDefault: string) => valuesOf(name).find((text) => parseDay(text) !== null) ?? byDefault
  const kind = valuesOf('kind')[0] === 'raw' ? 'raw' : 'metrics'
  const list = typeof query.list === 'string' && query.list !== '' ? query.list : undefined
  return {
    kind,
    datasets: valuesOr('dataset', kind === 'raw' ? ['trades'] : ['ohlcv']),
    exchanges: list === undefined ? valuesOr('exchange', firstVenue === null ? [] : [firstVenue]) : [],
    symbols: list === undefined ? valuesOr('symbol', passedSymbols) : [],
    ...(list !== undefined && { list }),
    intervals: valuesOr('interval', ['1h']),
    timestamps: valuesOr('timestamp', ['exchange']),
    startDay: dayOr('start', range.startDay),
    endDay: dayOr('end', range.endDay),
    tryLocked: false,
  }
}

/** Selection of the last download, with which the form opens the next time; of its days, only the preset is kept. */
export interface LastChoice {
  choice: Omit<Draft, 'startDay' | 'endDay' | 'tryLocked'>
  preset: DayPreset | null
}

const MOST_REMEMBERED = 500
const isTextList = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string')

export function isLastChoice(stored: unknown): stored is LastChoice | null {
  if (stored === null) return true
  const { choice, preset } = (stored ?? {}) as { choice?: Record<string, unknown>; preset?: unknown }
  return (
    typeof choice === 'object' &&
    (choice.kind === 'metrics' || choice.kind === 'raw') &&
    ['datasets', 'exchanges', 'symbols', 'intervals', 'timestamps'].every((name) => isTextList(choice[name])) &&
    (choice.list === undefined || typeof choice.list === 'string') &&
    (preset === null || presets.some((each) => each === preset))
  )
}

/** Returns the selection of a draft to remember; without symbols if there are too many to review. */
export function lastChoiceOf(draft: Draft, preset: DayPreset | null): LastChoice {
  const { kind, datasets, exchanges, symbols, list, intervals, timestamps } = draft
  const rememberedSymbols = symbols.length <= MOST_REMEMBERED ? symbols : []
  return {
    choice: {
      kind,
      datasets,
      exchanges,
      symbols: rememberedSymbols,
      ...(list !== undefined && { list }),
      intervals,
      timestamps,
    },
    preset,
  }
}

/**
 * Builds the draft with which the form opens: from the address or the symbols passed by a screen, or else from the last
 * download, if there was one.
 */
export function firstDraft(
  query: LocationQuery,
  nowMs: number,
  firstVenue: string | null,
  passedSymbols: string[],
  last: LastChoice | null,
): Draft {
  const draft = draftOf(query, nowMs, firstVenue, passedSymbols)
  if (last === null || passedSymbols.length > 0 || Object.keys(query).length > 0) return draft
  return { ...draft, ...structuredClone(last.choice), ...presetDays(last.preset ?? 'month', nowMs) }
}

/** Builds the draft of a set, with the days that the set means today. */
export function draftOfSet(set: DownloadSetFields, nowMs: number): Draft {
  const { kind, datasets, exchanges, symbols, list, intervals, timestamps, startDay, endDay } = requestOfSet(
    set,
    dayOf(nowMs),
  )
  return { kind, datasets, exchanges, symbols, list, intervals, timestamps, startDay, endDay, tryLocked: false }
}

/** Returns the changes that bring a draft into the slice of a connection of previews: one venue, its symbol, its days. */
export function draftInSlice(draft: Draft, slice: PreviewSlice): Partial<Draft> {
  const venue = draft.exchanges.find((each) => each in slice.symbols) ?? Object.keys(slice.symbols)[0]
  const isInside = draft.exchanges.length === 1 && draft.exchanges[0] === venue
  return {
    // The same list stays, because another one would be a change.
    exchanges: isInside ? draft.exchanges : [venue],
    symbols: [slice.symbols[venue]],
    list: undefined,
    ...sliceDays(slice),
  }
}

/** Builds a set of this name from the draft. */
export const setOf = (draft: Draft, name: string, start: DownloadSet['start']): DownloadSetFields => ({
  connectionId: '',
  name,
  start,
  kind: draft.kind,
  datasets: draft.datasets,
  exchanges: draft.exchanges,
  symbols: draft.symbols,
  list: draft.list,
  intervals: draft.intervals,
  timestamps: draft.timestamps,
})

/**
 * Replaces the symbols and venues of a draft with a list. An empty name removes the list again and selects the default
 * venue.
 */
export function setDraftList(draft: Draft, name: string, firstVenue: string | null): void {
  const ofFirstVenue = firstVenue === null ? [] : [firstVenue]
  const byDefault = draft.list === undefined ? draft.exchanges : ofFirstVenue
  Object.assign(
    draft,
    name === '' ? { list: undefined, exchanges: byDefault } : { list: name, exchanges: [], symbols: [] },
  )
}

/** Returns the sentence that asks for the first missing or wrong field; null if the request is complete. */
export function requestProblem(draft: Draft): string | null {
  const { lacks } = downloadsText.composer
  if (draft.datasets.length === 0) return lacks.datasets
  if (draft.list === undefined && draft.exchanges.length === 0) return lacks.venues
  if (draft.list === undefined && draft.symbols.length === 0) return lacks.symbols
  if (draft.kind === 'metrics' && draft.intervals.length === 0) return lacks.intervals
  if (draft.kind === 'metrics' && draft.timestamps.length === 0) return lacks.timestamps
  const invalidDay = [draft.startDay, draft.endDay].find((day) => parseDay(day) === null)
  if (invalidDay !== undefined) return invalidDay === '' ? lacks.days : lacks.notADay(invalidDay)
  return draft.startDay > draft.endDay ? lacks.order : null
}

/** Describes a request in one line: its datasets, intervals, symbols or list, and days. */
export function requestLabel({ kind, datasets, symbols, list, intervals, startDay, endDay }: Draft): string {
  const { few } = downloadsText.composer
  const symbolText = list ?? few(symbols.map(shortSymbol))
  const intervalText = kind === 'metrics' ? ` ${few(intervals)}` : ''
  return `${few(datasets)}${intervalText} · ${symbolText} · ${startDay} to ${endDay}`.slice(0, 200)
}

export function requestOfDraft({ tryLocked, ...draft }: Draft): DownloadRequest | null {
  if (requestProblem({ tryLocked, ...draft })) return null
  const { intervals, timestamps, ...rest } = draft
  const metrics = draft.kind === 'metrics' ? { intervals, timestamps } : {}
  return downloadRequest.parse({ ...rest, ...metrics, tryLocked, tryRefused: tryLocked })
}

export interface InclusiveDays {
  startDay: Day
  /** Last day, inclusive. */
  endDay: Day
}

export const presets = ['month', 'week', 'days30', 'days90', 'months6', 'year', 'months12', 'all'] as const

type DayPreset = (typeof presets)[number]

const daysByPreset: Partial<Record<DayPreset, number>> = {
  week: 7,
  days30: 30,
  days90: 90,
  months6: 182,
  months12: 365,
}
/**
 * First day of the preset “All”. A symbol may have no files that old; the plan marks the periods that may not exist.
 */
const FIRST_DAY = '2020-01-01'

/** Returns the days of a preset. The last one is yesterday or earlier, because today's files are incomplete. */
export function presetDays(preset: DayPreset, nowMs: number): InclusiveDays {
  const today = dayOf(nowMs)
  const yesterday = addDays(today, -1)
  const lastDayOfPreviousMonth = addDays(`${today.slice(0, 7)}-01`, -1)
  if (preset === 'month')
    return { startDay: `${lastDayOfPreviousMonth.slice(0, 7)}-01`, endDay: lastDayOfPreviousMonth }
  if (preset === 'all') return { startDay: FIRST_DAY, endDay: yesterday }
  if (preset === 'year') return { startDay: `${yesterday.slice(0, 4)}-01-01`, endDay: yesterday }
  return { startDay: addDays(today, -daysByPreset[preset]!), endDay: yesterday }
}

/** Returns the shell command that updates a set, with names quoted so that the shell never interprets them. */
export const setCommand = (name: string, connection: string | null) =>
  [
    'perpscope',
    ...(connection === null ? [] : ['--connection', quoteForShell(connection)]),
    'fetch',
    '--set',
    quoteForShell(name),
  ].join(' ')

const quoteForShell = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
