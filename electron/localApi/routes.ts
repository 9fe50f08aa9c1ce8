import { callOperations, type Operation, ownOperations, type RoutedOperation } from '#shared/contract/operations.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { CallName } from '#shared/contract/names.ts'
import type { JsonAnswers, LocalApiAnswers, LocalApiTable } from './answers.ts'
import { type JsonSchema, jsonSchemaOf } from './jsonSchema.ts'

/** An answer of the local API: a table, in a form that the request accepts, or JSON. */
export type LocalApiAnswer = { table: LocalApiTable; isArrowOnly?: true } | { json: unknown }

/** An operation under its method and path: the server finds it by these, and the API description is made from it. */
export interface Route {
  method: string
  /** Path; a last part `{id}` matches any name. */
  path: string
  operationId: string
  operation: Operation
  /** Fields of the input: query parameters of a GET, or the body of a POST. */
  schema: JsonSchema
  answer(answers: LocalApiAnswers, input: unknown, signal: AbortSignal): Promise<LocalApiAnswer>
}

type Answer = (answers: LocalApiAnswers, input: never, signal: AbortSignal) => Promise<unknown>

/** Makes the route of an operation; none if other programs are not to use it. */
export function routeOf(operationId: string, operation: Operation, answer: Answer): Route[] {
  if (operation.route === undefined) return []
  const [method, path] = operation.route.split(' ')
  return [
    {
      method,
      path,
      operationId,
      operation,
      schema: jsonSchemaOf(operation.input),
      async answer(answers, input, signal) {
        const given = await answer(answers, operation.input.parse(input) as never, signal)
        if (operation.gives !== 'table') return { json: given }
        return { table: given as LocalApiTable, ...(operation.isArrowOnly && { isArrowOnly: true }) }
      },
    },
  ]
}

export const routes: readonly Route[] = [
  ...callOperations().flatMap(([name, each]) =>
    routeOf(name, each, (answers, input, signal) => answers.call(name, input, signal)),
  ),
  ...Object.entries<Operation>(ownOperations).flatMap(([name, each]) =>
    routeOf(name, each, (answers, input, signal) => answers[name as RoutedOperation](input, signal)),
  ),
]

/** Answers that are no table, by operation: `npm run schemas` describes them for the API description. */
export type RouteAnswers = JsonAnswers & { [Name in CallName]: CallOutput<Name> }

/** Path of the API description. */
export const DESCRIPTION_PATH = '/v1/openapi.json'

const idPattern = /^[A-Za-z0-9_-]{1,100}$/

/** Finds the routes of a path, one per method, and the fields of the input that the path has. */
export function findRoutes(path: string): { routes: Route[]; fields: Readonly<Record<string, string>> } {
  const [, parent, last] = /^(.*\/)([^/]*)$/.exec(path) ?? []
  const exact = routes.filter((each) => each.path === path)
  if (exact.length > 0 || last === undefined || !idPattern.test(last)) return { routes: exact, fields: {} }
  const named = routes.filter((each) => each.path.startsWith(`${parent}{`) && each.path.endsWith('}'))
  const [field] = named.map((each) => each.path.slice(parent.length + 1, -1))
  return { routes: named, fields: named.length > 0 ? { [field]: last } : {} }
}
