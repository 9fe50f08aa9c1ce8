import { z } from 'zod'
import type { LocalApiAnswers, LocalApiTable } from './answers.ts'
import { coverageQuery, formulaQuery, seriesQuery, sqlQuery } from './queries.ts'

/** An answer of the local API: a table, in a form that the request accepts, or JSON. */
export type LocalApiAnswer = { table: LocalApiTable } | { json: unknown }

/**
 * A route of the local API as data: the server finds it by method and path, and the API description is generated from
 * it.
 */
export interface Route {
  method: 'GET' | 'POST'
  /** Path; a last part `{id}` matches any name. */
  path: string
  summary: string
  /** Query parameters of a GET, or body of a POST. */
  input: z.ZodObject | z.ZodRecord
  gives: 'table' | 'json'
  answer(
    answers: LocalApiAnswers,
    input: unknown,
    context: { id: string; signal: AbortSignal },
  ): Promise<LocalApiAnswer>
}

interface RouteSpec<Input extends Route['input']> extends Omit<Route, 'input' | 'answer'> {
  input: Input
  answer(
    answers: LocalApiAnswers,
    input: z.infer<Input>,
    context: { id: string; signal: AbortSignal },
  ): Promise<LocalApiTable> | Promise<unknown>
}

function route<Input extends Route['input']>(spec: RouteSpec<Input>): Route {
  return {
    ...spec,
    async answer(answers, input, context) {
      const answer = await spec.answer(answers, spec.input.parse(input) as z.infer<Input>, context)
      return spec.gives === 'table' ? { table: answer as LocalApiTable } : { json: answer }
    },
  }
}

const noInput = z.strictObject({})

export const routes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/dictionary',
    summary: 'Tables, columns, units and functions that a query may name.',
    input: noInput,
    gives: 'json',
    answer: (answers) => answers.dictionary(),
  }),
  route({
    method: 'GET',
    path: '/v1/coverage',
    summary: 'Series in the cache, with their number of files and bytes.',
    input: coverageQuery,
    gives: 'json',
    answer: (answers, query) => answers.coverage(query),
  }),
  route({
    method: 'GET',
    path: '/v1/series',
    summary: 'Rows of one series of metrics.',
    input: seriesQuery,
    gives: 'table',
    answer: (answers, query, { signal }) => answers.series(query, signal),
  }),
  route({
    method: 'POST',
    path: '/v1/sql',
    summary: 'Runs one SELECT over the cache.',
    input: sqlQuery,
    gives: 'table',
    answer: (answers, query, { signal }) => answers.sql(query, signal),
  }),
  route({
    method: 'POST',
    path: '/v1/formula',
    summary: 'Evaluates a formula over the columns of one symbol.',
    input: formulaQuery,
    gives: 'table',
    answer: (answers, query, { signal }) => answers.formula(query, signal),
  }),
  route({
    method: 'POST',
    path: '/v1/studies',
    summary: 'Runs a study or a tested portfolio on cached data; the run is recorded in the ledger.',
    input: z.record(z.string(), z.unknown()),
    gives: 'json',
    answer: (answers, document, { signal }) => answers.runStudy(document, signal),
  }),
  route({
    method: 'GET',
    path: '/v1/studies',
    summary: 'Studies that were run.',
    input: noInput,
    gives: 'json',
    answer: (answers) => Promise.resolve(answers.studies()),
  }),
  route({
    method: 'GET',
    path: '/v1/studies/{id}',
    summary: 'The document of a study and its last result.',
    input: noInput,
    gives: 'json',
    answer: (answers, _query, { id }) => Promise.resolve(answers.study(id)),
  }),
]

/** Path of the API description. */
export const DESCRIPTION_PATH = '/v1/openapi.json'

const idPattern = /^[A-Za-z0-9_-]{1,100}$/

/** Finds the routes of a path, one per method, and the name at its end. */
export function findRoutes(path: string): { routes: Route[]; id: string } {
  const [, parent, last] = /^(.*\/)([^/]*)$/.exec(path) ?? []
  const exact = routes.filter((each) => each.path === path)
  if (exact.length > 0 || last === undefined || !idPattern.test(last)) return { routes: exact, id: '' }
  return { routes: routes.filter((each) => each.path === `${parent}{id}`), id: last }
}
