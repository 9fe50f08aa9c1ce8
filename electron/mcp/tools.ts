import { readFile } from 'node:fs/promises'
import { AppError } from '#shared/contract/errors.ts'
import type { EvaluatedFormula } from '#shared/contract/areas/series.ts'
import type { SqlDictionary } from '#shared/contract/areas/sql.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { chartSvg } from '#shared/report/chartHtml.ts'
import type { Client } from '#shared/contract/client.ts'
import {
  callOperations,
  type Operation,
  type OperationInput,
  ownOperations,
  type ToolOperation,
} from '#shared/contract/operations.ts'
import { formulaInputs, formulaProblem } from '#core/series/formulaInputs.ts'
import { type LocalApiAnswers, type LocalApiTable, missingInAnswer } from '../localApi/answers.ts'
import { timeRange } from '../localApi/apiRange.ts'
import { withFullSymbol, withListedSymbols } from '../localApi/fullSymbol.ts'
import { jsonSchemaOf } from '../localApi/jsonSchema.ts'
import { inputMessage } from '../localApi/requestInput.ts'
import { boundedTable, boundedText, type ToolAnswer, writePicture } from './boundedAnswer.ts'
import { CHART_APP } from './chartApp.ts'

/** A tool as a client sees it, and its implementation. */
export interface AssistantTool {
  name: string
  title: string
  description: string
  inputSchema: { properties?: Record<string, unknown>; $defs?: object }
  outputSchema: unknown
  annotations: { readOnlyHint: boolean; destructiveHint?: false; openWorldHint: boolean }
  /** True for a name of before, which can be called but is not listed. */
  isUnlisted?: true
  /** Returns one JSON text; throws an `AppError` if that fails. */
  call(input: unknown, signal: AbortSignal): Promise<string>
  /** Page that shows an answer, and its drawing (SVG); for clients that show pages. */
  app?: { uri: string; draw(input: unknown, signal: AbortSignal): Promise<string> }
}

interface ToolDeps {
  answers: LocalApiAnswers
  client: Client
  connectionId: string
  dataDir: string
  /** True if the user allowed downloads when starting the server. */
  allowDownloads: boolean
}

/** Creates the tools of an assistant from the operations. None reveals a key, and none deletes anything. */
export function createTools(deps: ToolDeps): AssistantTool[] {
  const { answers, dataDir } = deps
  const { call, dataVersion: _version, checkStudy: _check, ...routedAnswers } = answers
  const answerOf: Record<string, Answer> = { ...routedAnswers, ...toolAnswers(deps), runStudy: confirmedStudy(answers) }
  return withWays([
    ...Object.entries<Operation>(ownOperations).flatMap(([name, each]) => toolOf(dataDir, each, answerOf[name])),
    ...callOperations().flatMap(([name, each]) => toolOf(dataDir, each, (input, signal) => call(name, input, signal))),
  ])
}

/** Tools that are listed as one, because there may be only a few: what to give is chosen by `as`. */
interface ToolWays {
  help: string
  ways: Readonly<Record<string, string>>
  /** The way whose picture a client shows that shows pages, whichever way was chosen. */
  drawnAs?: string
}

const waysByTool: Readonly<Record<string, ToolWays>> = {
  read_series: {
    help: 'Reads rows of one series of metrics; or their sources: files with SHA-256, state, when fetched, what is missing.',
    ways: { rows: 'read_series', sources: 'provenance' },
  },
  formula: {
    help: 'Evaluates a formula, such as zscore(funding.funding_rate, 90), for one symbol: values, a summary, or a chart.',
    ways: { values: 'formula', summary: 'summary', chart: 'chart' },
    drawnAs: 'chart',
  },
  studies: {
    help: 'Studies that were run, or one by id; scores of recorded runs on later days; calibration: promised against kept.',
    ways: { runs: 'studies', scores: 'scores', calibration: 'calibration' },
  },
}

/** Lists the ways of a tool as one, with the fields of all. Each stays callable by its own name. */
function withWays(tools: AssistantTool[]): AssistantTool[] {
  const toolOfName = new Map(tools.map((tool) => [tool.name, tool]))
  const merged = new Set(Object.values(waysByTool).flatMap(({ ways }) => Object.values(ways)))
  return tools.map((tool) => {
    if (!Object.hasOwn(waysByTool, tool.name)) return { ...tool, ...(merged.has(tool.name) && { isUnlisted: true }) }
    const { help, ways, drawnAs } = waysByTool[tool.name]
    const [usual] = Object.keys(ways)
    const { properties: _own, ...schema } = tool.inputSchema
    const properties = Object.assign(
      {},
      ...Object.values(ways).map((way) => toolOfName.get(way)?.inputSchema.properties),
    ) as object
    const drawing = drawnAs === undefined ? undefined : toolOfName.get(ways[drawnAs])
    return {
      ...tool,
      ...(drawing && { app: { uri: CHART_APP, draw: (input, signal) => pictureOf(drawing, input, signal) } }),
      description: help,
      inputSchema: { ...schema, properties: { ...properties, as: { enum: Object.keys(ways), default: usual } } },
      call(input, signal) {
        const { as = usual, ...fields } = { ...(input as object) } as { as?: unknown }
        const chosen = typeof as === 'string' && Object.hasOwn(ways, as) ? toolOfName.get(ways[as]) : undefined
        if (!chosen) throw new AppError('bad-input', `as: must be one of ${Object.keys(ways).join(', ')}`)
        return chosen.call(fields, signal)
      },
    }
  })
}

/** Returns the picture that a tool draws for an input of the tool that stands for it. */
async function pictureOf(tool: AssistantTool, input: unknown, signal: AbortSignal): Promise<string> {
  const { as: _way, ...fields } = { ...(input as object) } as { as?: unknown }
  const { data } = JSON.parse(await tool.call(fields, signal)) as { data: { picture: string } }
  return readFile(data.picture, 'utf8')
}

const SCREEN_NOT_CONFIRMED =
  'A screen tries many formulas at once, and each of them counts in the ledger against later results. Ask the user, and call again with confirmed if the answer is yes.'

/** Runs a study; a screen, once its document is valid, only if the user has agreed, because it counts as many trials. */
const confirmedStudy =
  ({ checkStudy, runStudy }: LocalApiAnswers) =>
  async (input: OperationInput<'runStudy'>, signal: AbortSignal): Promise<unknown> => {
    if (input.document.kind === 'screen' && input.confirmed !== true) {
      await checkStudy(input.document, signal)
      throw new AppError('policy', SCREEN_NOT_CONFIRMED)
    }
    return runStudy(input, signal)
  }

type Answer = (input: never, signal: AbortSignal) => Promise<unknown>

/** Creates the tool of an operation; none if assistants are not to use it. */
export function toolOf(dataDir: string, operation: Operation, answer: Answer): AssistantTool[] {
  const { tool: name, help, input, changes = false, reachesOut = false, gives } = operation
  if (name === undefined) return []
  return [
    {
      name,
      title: operation.label,
      description: help,
      inputSchema: shortSchema(jsonSchemaOf(input)),
      outputSchema,
      // What reads only destroys nothing, which needs no word.
      annotations: { readOnlyHint: !changes, ...(changes && { destructiveHint: false }), openWorldHint: reachesOut },
      async call(request, signal) {
        const parsed = input.safeParse(request)
        if (!parsed.success) throw new AppError('bad-input', inputMessage(parsed.error))
        const given = await answer(parsed.data as never, signal)
        if (gives === 'table') return boundedTable(dataDir, given as LocalApiTable, signal)
        return boundedText(dataDir, gives === 'figures' ? (given as ToolAnswer) : withSource(operation, given))
      },
    },
  ]
}

const withSource = ({ source, knownAt }: Operation, data: unknown): ToolAnswer => ({
  data,
  provenance: { source: source ?? 'this machine' },
  unit: null,
  known_at: knownAt ?? null,
})

/** What every answer has besides `data`; which data, the tool's description says. */
const outputSchema = { type: 'object', required: ['data', 'provenance'] }

const leftOutKeys =
  /^(?:(?:min|max)(?:Length|Items)|propertyNames|oneOf|minimum|maximum|exclusiveMinimum|format|additionalProperties)$/

/**
 * Leaves out limits, what a field is if it is left out or null, and the fields of each kind of study, because the list
 * of tools has to be short; each call is still validated.
 */
function shortSchema(schema: unknown): AssistantTool['inputSchema'] {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (leftOutKeys.test(key) || (key === 'default' && (!value || typeof value === 'object'))) return undefined
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? plainer(value) : value
  })
  const short = JSON.parse(text.replaceAll(csvFile, '"$ref":"#/$defs/csv"')) as AssistantTool['inputSchema']
  return text.includes(csvFile) ? { ...short, $defs: { csv: JSON.parse(`{${csvFile}}`) as object } } : short
}

/** The text of a CSV file with its name, which several fields of one tool take. */
const csvFile =
  '"type":"object","properties":{"file":{"type":"string"},"text":{"type":"string"}},"required":["file","text"]'

/** Writes a day or an instant as the text that it is, and leaves out that a field may be null. */
function plainer(field: object): object {
  if (!('anyOf' in field) || !Array.isArray(field.anyOf)) return field
  const { anyOf, ...rest } = field
  return anyOf.every((each: { type?: string }) => each.type === 'string')
    ? { ...rest, type: 'string' }
    : withoutNull(field)
}

/** A field that may be null may be left out too, which needs no words. */
function withoutNull(field: object): object {
  if (!('anyOf' in field) || !Array.isArray(field.anyOf)) return field
  const [first, second, ...others] = field.anyOf as { type?: string }[]
  if (second?.type !== 'null' || others.length > 0) return field
  const { anyOf: _, ...rest } = field
  const { default: _default, ...named } = rest as { default?: unknown }
  return { ...named, ...first }
}

/** Answers of the operations of which only assistants have a tool. */
function toolAnswers({ answers, client, connectionId, dataDir, allowDownloads }: ToolDeps): {
  [Name in ToolOperation]: (input: OperationInput<Name>, signal: AbortSignal) => Promise<unknown>
} {
  return {
    searchDictionary: async ({ text }, signal) =>
      searchDictionary(await answers.call('sql.dictionary', {}, signal), text),
    summary: async (query, signal) =>
      summaryAnswer(client, connectionId, await withFullSymbol(client, connectionId, query, signal), signal),
    async chart(given, signal) {
      const query = await withFullSymbol(client, connectionId, given, signal)
      const request = { ...formulaRequest(connectionId, query), originMs: null, points: CHART_POINTS }
      const evaluated = await client.call('series.evaluate', request, { signal })
      if (evaluated.problem) throw new AppError('bad-input', evaluated.problem.message)
      return chartAnswer(dataDir, query, evaluated)
    },
    provenance: async (query, signal) =>
      provenanceAnswer(answers, await withFullSymbol(client, connectionId, query, signal), signal),
    findStudies: ({ id }, signal) => (id === undefined ? answers.studies({}, signal) : answers.study({ id }, signal)),
    async planDownload(query, signal) {
      const named = await withListedSymbols(client, connectionId, query, signal)
      return client.call('downloads.preview', { request: downloadRequest(connectionId, named) }, { signal })
    },
    async download(query, signal) {
      if (!allowDownloads) throw new AppError('policy', DOWNLOADS_NOT_ALLOWED)
      const named = await withListedSymbols(client, connectionId, query, signal)
      const request = downloadRequest(connectionId, named)
      return client.call('downloads.enqueue', { request, label: 'Assistant' }, { signal })
    },
  }
}

async function summaryAnswer(
  client: Client,
  connectionId: string,
  query: FormulaQuery,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const request = formulaRequest(connectionId, query)
  const statistics = await client.call('series.statistics', request, { signal })
  if (statistics.problem) throw new AppError('bad-input', statistics.problem.message)
  const { inputs } = await client.call('series.evaluate', { ...request, originMs: null, points: 2 }, { signal })
  return {
    data: statistics,
    provenance: { ...sourcesOf(inputs, query), notes: statistics.notes },
    unit: statistics.unit,
    known_at: 'time + interval',
  }
}

async function provenanceAnswer(
  answers: LocalApiAnswers,
  query: OperationInput<'provenance'>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const table = await answers.series({ ...query, limit: 1_000_000 }, signal)
  await table.close()
  const { files, missing, rows } = table.provenance
  return {
    data: { files, missing, rows },
    provenance: { request: query },
    unit: Object.fromEntries(table.columns.map((column) => [column.name, column.unit])),
    known_at: 'time + interval',
  }
}

type FormulaQuery = OperationInput<'formula'>

const CHART_POINTS = 500

/** Builds the request that evaluates a formula. */
function formulaRequest(connectionId: string, { formula, start, end, timestamp, ...place }: FormulaQuery) {
  const problem = formulaProblem(formula)
  if (problem !== null) throw new AppError('bad-input', problem)
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
  return { request: query, files, missing: missingInAnswer(inputs, timeRange(query.start, query.end)) }
}

/** Writes the chart of a formula to a file, and its points into the answer. */
function chartAnswer(dataDir: string, query: FormulaQuery, evaluated: EvaluatedFormula): ToolAnswer {
  const { points, unit, notes, inputs, rows } = evaluated
  const { times, values, valid } = drawnRows(points, 'value')
  const plottedValues = values.map((value, index) => (valid?.[index] === 0 ? NaN : value))
  const label = unit === null ? query.formula : `${query.formula} (${unit})`
  const series = [{ label, numberKind: 'figure' as const, x: times, values: plottedValues }]
  const title = `${query.exchange} ${query.symbol} ${query.interval}`
  const svg = chartSvg({ kind: 'chart', title, style: 'line', names: null, series })
  if (svg === null) throw new AppError('not-here', 'The range has no values.')
  return {
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
  }
}

const downloadRequest = (connectionId: string, { start, end, ...choice }: OperationInput<'download'>) => ({
  kind: 'metrics' as const,
  connectionId,
  startDay: start,
  endDay: end,
  ...choice,
})

const DOWNLOADS_NOT_ALLOWED =
  'Nothing was downloaded. The user must agree: in the window (Downloads), with perpscope fetch, or by starting perpscope mcp --allow-downloads.'

interface FoundTable {
  name: string
  description: string
  columns: unknown[]
}

/** Finds tables, columns and functions whose names or descriptions contain all words. */
function searchDictionary(dictionary: SqlDictionary, text: string): unknown {
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
