import { expect, test } from 'vitest'
import * as z from '#shared/schemas/lazySchemas.ts'
import { connectionId } from '#shared/contract/areas/discovery.ts'
import { callOperations, type Operation, operationOf, ownOperations } from '#shared/contract/operations.ts'
import { call } from '#shared/contract/spec.ts'
import type { LocalApiAnswers } from '../../../electron/localApi/answers.ts'
import { jsonSchemaOf } from '../../../electron/localApi/jsonSchema.ts'
import { queryInput } from '../../../electron/localApi/requestInput.ts'
import { findRoutes, routeOf, routes } from '../../../electron/localApi/routes.ts'
import { toolOf } from '../../../electron/mcp/tools.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const input = z.strictObject({
  connectionId,
  exchanges: z.array(z.string()).describe('Venues.'),
  most: z.int().optional(),
  deep: z.boolean().default(false),
})
const count = call(input, {
  label: 'Count',
  help: 'Counts something.',
  route: 'GET /v1/count',
  tool: 'count',
  changes: true,
  source: 'this test',
})<number>()

const counted = operationOf(count) as Operation
const echo = (given: unknown) => Promise.resolve({ given })
const signal = new AbortController().signal

test('a call described once has a route whose parameters are its fields, without the connection', async () => {
  const [route] = routeOf('things.count', counted, (_answers, given) => echo(given))
  expect(route).toMatchObject({ method: 'GET', path: '/v1/count' })
  const read = (query: string) => queryInput(route, new URLSearchParams(query), {})
  const typed = { exchanges: ['a', 'b'], most: 3, deep: true }
  expect(read('exchanges=a,b&most=3&deep=true')).toEqual({ input: typed })
  expect(await route.answer({} as LocalApiAnswers, typed, signal)).toEqual({ json: { given: typed } })
  for (const wrong of ['exchanges=a&most=3.5', 'exchanges=a&deep=1', 'exchanges=a&connectionId=other', 'most=1']) {
    const parsed = read(wrong) as { input: unknown }
    await expect(route.answer({} as LocalApiAnswers, parsed.input, signal)).rejects.toThrow()
  }
  expect(read('most=1&most=2')).toMatchObject({ status: 400 })
})

test('the same call has a tool with its help, its fields and where its answers come from', async () => {
  const [tool] = toolOf(temporaryFolder(), counted, echo)
  expect(tool).toMatchObject({ name: 'count', description: 'Counts something.', annotations: { readOnlyHint: false } })
  expect(tool.inputSchema).toMatchObject({
    required: ['exchanges'],
    properties: { exchanges: { description: 'Venues.' } },
  })
  expect(JSON.stringify(tool.inputSchema)).not.toContain('connectionId')
  const answer = JSON.parse(await tool.call({ exchanges: ['a'] }, signal)) as unknown
  expect(answer).toEqual({
    data: { given: { exchanges: ['a'], deep: false } },
    provenance: { source: 'this test' },
    unit: null,
    known_at: null,
  })
  await expect(tool.call({ exchanges: 'a' }, signal)).rejects.toThrow()
})

test('programs and assistants read the same sentence about a field as --help prints', async () => {
  const { command } = await import('../../../electron/cli/commands/read.ts')
  const options = command.actions[0].options ?? {}
  const { properties = {} } = jsonSchemaOf(ownOperations.series.input)
  for (const field of ['timestamp', 'columns', 'start', 'end'])
    expect([field, properties[field].description]).toEqual([field, options[field].description])
})

test('a call without a description is offered to no program', () => {
  expect(operationOf(call(input)<number>())).toBeNull()
})

test('the example of each route is an input that it takes', () => {
  for (const { operation, operationId } of routes)
    if (operation.example)
      expect([operationId, operation.input.safeParse(operation.example).error]).toEqual([operationId, undefined])
})

test('a last part of a path is the field that its route names', () => {
  expect(findRoutes('/v1/data/flows')).toMatchObject({
    routes: [{ path: '/v1/data/{name}' }],
    fields: { name: 'flows' },
  })
  expect(findRoutes('/v1/studies/3f2a')).toMatchObject({
    routes: [{ path: '/v1/studies/{id}' }],
    fields: { id: '3f2a' },
  })
  expect(findRoutes('/v1/nothing/3f2a')).toEqual({ routes: [], fields: {} })
})

test('no two operations share a route, a tool or a name, and each says in a sentence what it does', () => {
  const all = [...callOperations(), ...Object.entries<Operation>(ownOperations)]
  for (const key of ['route', 'tool'] as const) {
    const names = all.flatMap(([, operation]) => operation[key] ?? [])
    expect(names).toEqual([...new Set(names)])
  }
  for (const [name, { label, help, route, tool }] of all)
    expect([name, label.endsWith('.'), help.endsWith('.'), route ?? tool]).toEqual([
      name,
      false,
      true,
      expect.any(String),
    ])
})
