import { z } from 'zod'
import { AppError } from '#shared/contract/errors.ts'
import type { EvaluatedFormula } from '#shared/contract/areas/series.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { chartSvg } from '#shared/report/chartHtml.ts'
import type { Client } from '#shared/contract/client.ts'
import { namedColumns, formulaInputs } from '#core/series/formulaInputs.ts'
import { type LocalApiAnswers, missingRanges } from '../localApi/answers.ts'
import { inputMessage } from '../localApi/requestInput.ts'
import {
  coverageQuery,
  type FormulaQuery,
  formulaQuery,
  jsonSchemaOf,
  seriesQuery,
  sqlQuery,
  timeRange,
} from '../localApi/queries.ts'
import { boundedTable, boundedText, type ToolAnswer, writePicture } from './boundedAnswer.ts'

/** A tool as a client sees it, and its implementation. */
export interface AssistantTool {
  name: string
  description: string
  inputSchema: unknown
  annotations: { readOnlyHint: boolean; destructiveHint: false; openWorldHint: boolean }
  /** Returns one JSON text; throws an `AppError` if that fails. */
  call(input: unknown, signal: AbortSignal): Promise<string>
}

export interface ToolDeps {
  answers: LocalApiAnswers
  client: Client
  connectionId: string
  dataDir: string
  /** True if the user allowed downloads when starting the server. */
  allowDownloads: boolean
}

interface ToolSpec<Input extends z.ZodType> {
  name: string
  description: string
  input: Input
  /** True for a tool whose calls leave something behind that the user sees: a trial, or downloads in the queue. */
  records?: true
  /** True for a tool that sends requests to a service. */
  reachesOut?: true
  answer(input: z.output<Input>, signal: AbortSignal): Promise<string>
}

function tool<Input extends z.ZodType>({
  name,
  description,
  input,
  records = false,
  reachesOut = false,
  answer,
}: ToolSpec<Input>): AssistantTool {
  return {
    name,
    description,
    inputSchema: shortSchema(jsonSchemaOf(input)),
    annotations: { readOnlyHint: !records, destructiveHint: false, openWorldHint: reachesOut },
    call(request, signal) {
      const parsed = input.safeParse(request)
      if (parsed.success) return answer(parsed.data, signal)
      throw new AppError('bad-input', inputMessage(parsed.error))
    },
  }
}

/** Leaves out size limits, because the list of tools has to be short; each call is still validated. */
const shortSchema = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      /^(?:min|max)(?:Length|Items)$|^propertyNames$/.test(key) ? undefined : value,
    ),
  )

const noFacts = { provenance: null, unit: null, known_at: null }

/** Creates the tools of an assistant. None reveals a key, and none deletes anything. */
export function createTools(deps: ToolDeps): AssistantTool[] {
  return [...readingTools(deps), ...seriesTools(deps), ...studyTools(deps), ...downloadTools(deps)]
}

function readingTools({ answers, dataDir }: ToolDeps): AssistantTool[] {
  const text = (answer: ToolAnswer) => boundedText(dataDir, answer)
  return [
    tool({
      name: 'search_dictionary',
      description: 'Finds tables and columns, with types, units and descriptions. Begin here.',
      input: z.strictObject({ text: z.string().max(200).describe('Such as “funding rate”; empty for all tables.') }),
      async answer(query) {
        const provenance = { source: 'documents of the service that come with Perpscope' }
        return text({ ...noFacts, data: searchDictionary(await answers.dictionary(), query.text), provenance })
      },
    }),
    tool({
      name: 'coverage',
      description: 'Lists the series in the cache of this machine.',
      input: coverageQuery,
      async answer(query) {
        return text({ ...noFacts, data: await answers.coverage(query), provenance: { source: 'index of the cache' } })
      },
    }),
    tool({
      name: 'sql',
      description: 'Runs one SELECT (DuckDB) over the cache. search_dictionary names the tables.',
      input: sqlQuery,
      answer: async (query, signal) => boundedTable(dataDir, await answers.sql(query, signal), signal),
    }),
  ]
}

function seriesTools({ answers, client, connectionId, dataDir }: ToolDeps): AssistantTool[] {
  return [
    tool({
      name: 'read_series',
      description: 'Reads rows of one series of metrics from the cache.',
      input: seriesQuery,
      answer: async (query, signal) => boundedTable(dataDir, await answers.series(query, signal), signal),
    }),
    tool({
      name: 'formula',
      description: 'Evaluates a formula over columns of one symbol, such as zscore(funding.funding_rate, 90).',
      input: formulaQuery,
      answer: async (query, signal) => boundedTable(dataDir, await answers.formula(query, signal), signal),
    }),
    tool({
      name: 'summary',
      description:
        'Computes counts, extremes, mean, standard deviation, quantiles and autocorrelation of a formula over a range.',
      input: formulaQuery,
      async answer(query, signal) {
        const request = formulaRequest(connectionId, query)
        const statistics = await client.call('series.statistics', request, { signal })
        if (statistics.problem) throw new AppError('bad-input', statistics.problem.message)
        const { inputs } = await client.call('series.evaluate', { ...request, originMs: null, points: 2 }, { signal })
        const provenance = { ...sourcesOf(inputs, query), notes: statistics.notes }
        return boundedText(dataDir, {
          data: statistics,
          provenance,
          unit: statistics.unit,
          known_at: 'time + interval',
        })
      },
    }),
    tool({
      name: 'chart',
      description: 'Draws a formula over a range as a picture (SVG file), with the values behind the line.',
      input: formulaQuery,
      async answer(query, signal) {
        const request = { ...formulaRequest(connectionId, query), originMs: null, points: CHART_POINTS }
        const evaluated = await client.call('series.evaluate', request, { signal })
        if (evaluated.problem) throw new AppError('bad-input', evaluated.problem.message)
        return chartAnswer(dataDir, query, evaluated)
      },
    }),
    tool({
      name: 'provenance',
      description:
        'Names the files behind a range of a series: SHA-256, state, when each was fetched, what is missing.',
      input: seriesQuery.omit({ columns: true, limit: true }),
      async answer(query, signal) {
        const table = await answers.series({ ...query, limit: 1_000_000 }, signal)
        await table.close()
        const unit = Object.fromEntries(table.columns.map((column) => [column.name, column.unit]))
        const { files, missing, rows } = table.provenance
        return boundedText(dataDir, {
          data: { files, missing, rows },
          provenance: { request: query },
          unit,
          known_at: 'time + interval',
        })
      },
    }),
  ]
}

const CHART_POINTS = 500

/** Builds the request that evaluates a formula. */
function formulaRequest(connectionId: string, { formula, start, end, timestamp, ...place }: FormulaQuery) {
  if (namedColumns(formula).length === 0) throw new AppError('bad-input', 'The formula names no column.')
  const namedInputs = formulaInputs(formula, { connectionId, timestamp, ...place })
  const inputs = Object.fromEntries(
    Object.entries(namedInputs).map(([name, { series, column }]) => [name, { ...series, timestamp, column }]),
  )
  return { formula, inputs, ...timeRange(start, end) }
}

/** Describes the files of a formula and the parts of its range that are not cached; throws if nothing is cached. */
function sourcesOf(inputs: EvaluatedFormula['inputs'], query: FormulaQuery) {
  const files = Object.values(inputs).flatMap((input) => input.files)
  if (files.length === 0) throw new AppError('not-here', 'No files of this series and range are in the cache.')
  return { request: query, files, missing: missingRanges(inputs, timeRange(query.start, query.end)) }
}

/** Writes the chart of a formula to a file, and its points into the answer. */
function chartAnswer(dataDir: string, query: FormulaQuery, evaluated: EvaluatedFormula): string {
  const { points, unit, notes, inputs, rows } = evaluated
  const { times, values, valid } = drawnRows(points, 'value')
  const plottedValues = values.map((value, index) => (valid?.[index] === 0 ? NaN : value))
  const label = unit === null ? query.formula : `${query.formula} (${unit})`
  const series = [{ label, numberKind: 'figure' as const, x: times, values: plottedValues }]
  const title = `${query.exchange} ${query.symbol} ${query.interval}`
  const svg = chartSvg({ kind: 'chart', title, style: 'line', names: null, series })
  if (svg === null) throw new AppError('not-here', 'The range has no values.')
  return boundedText(dataDir, {
    data: {
      picture: writePicture(dataDir, svg),
      rows,
      points: Array.from(times, (time, index) => [
        new Date(time).toISOString(),
        Number.isNaN(plottedValues[index]) ? null : plottedValues[index],
      ]),
    },
    provenance: { ...sourcesOf(inputs, query), notes },
    unit,
    known_at: 'time + interval',
  })
}

function studyTools({ answers, dataDir }: ToolDeps): AssistantTool[] {
  const text = (data: unknown, source: string) =>
    boundedText(dataDir, { ...noFacts, data, provenance: { source }, known_at: 'as the study says' })
  return [
    tool({
      name: 'run_study',
      description:
        'Runs a study or a tested portfolio on cached data, given as its document. Every run is a trial in the ledger and counts against later results.',
      input: z.strictObject({ document: z.record(z.string(), z.unknown()) }),
      records: true,
      answer: async ({ document }, signal) => text(await answers.runStudy(document, signal), 'computed here'),
    }),
    tool({
      name: 'studies',
      description: 'Lists the studies that were run; with an id, shows the document and the last result of one.',
      input: z.strictObject({ id: z.string().min(1).max(100).optional() }),
      answer: ({ id }) =>
        Promise.resolve(text(id === undefined ? answers.studies() : answers.study(id), 'computed here')),
    }),
  ]
}

const downloadQuery = z.strictObject({
  datasets: z.array(z.string().min(1).max(100)).min(1).max(30),
  exchanges: z.array(z.string().min(1).max(100)).min(1).max(30),
  symbols: z.array(z.string().min(1).max(300)).min(1).max(200),
  intervals: z.array(z.string().min(1).max(20)).min(1).max(10),
  timestamps: z
    .array(z.enum(['exchange', 'true']))
    .min(1)
    .default(['exchange']),
  start: z.iso.date(),
  end: z.iso.date().describe('Inclusive.'),
})

const downloadRequest = (connectionId: string, { start, end, ...choice }: z.output<typeof downloadQuery>) => ({
  kind: 'metrics' as const,
  connectionId,
  startDay: start,
  endDay: end,
  ...choice,
})

function downloadTools({ client, connectionId, dataDir, allowDownloads }: ToolDeps): AssistantTool[] {
  const provenance = { source: 'index of the cache and list of the service' }
  return [
    tool({
      name: 'plan_download',
      description: 'Says which files a download would fetch and how large they are. Downloads nothing.',
      input: downloadQuery,
      async answer(query, signal) {
        const request = downloadRequest(connectionId, query)
        const data = await client.call('downloads.preview', { request }, { signal })
        return boundedText(dataDir, { ...noFacts, data, provenance })
      },
    }),
    tool({
      name: 'download',
      description: 'Adds the files of a plan to the download queue. Needs the user’s consent.',
      input: downloadQuery,
      records: true,
      reachesOut: true,
      async answer(query, signal) {
        if (!allowDownloads) throw new AppError('policy', DOWNLOADS_NOT_ALLOWED)
        const request = downloadRequest(connectionId, query)
        const data = await client.call('downloads.enqueue', { request, label: 'Assistant' }, { signal })
        return boundedText(dataDir, { ...noFacts, data, provenance })
      },
    }),
  ]
}

const DOWNLOADS_NOT_ALLOWED =
  'Nothing was downloaded. The user must agree: in the window (Downloads), with perpscope fetch, or by starting perpscope mcp --allow-downloads.'

interface FoundTable {
  name: string
  description: string
  columns: unknown[]
}

/** Finds tables, columns and functions whose names or descriptions contain all words. */
function searchDictionary(dictionary: Awaited<ReturnType<LocalApiAnswers['dictionary']>>, text: string): unknown {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (name: string) => terms.every((word) => name.toLowerCase().includes(word))
  const tables = dictionary.views.map(({ schema, ...view }) => ({ ...view, name: `${schema}.${view.name}` }))
  if (terms.length === 0) return { tables: tables.map(({ name, description }) => ({ name, description })) }
  const found = tables.flatMap(({ name, description, columns }): FoundTable[] => {
    const matching = columns.filter((column) => matches(Object.values(column).join(' ')))
    return matches(`${name} ${description}`)
      ? [{ name, description, columns }]
      : matching.length > 0
        ? [{ name, description, columns: matching }]
        : []
  })
  return {
    tables: found,
    functions: dictionary.functions.filter((each) => matches(Object.values(each).join(' '))),
  }
}
