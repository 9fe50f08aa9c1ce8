import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describedCommands, resultSchema } from '../../../electron/cli/resultSchema.ts'
import { allCommands } from '../../../electron/cli/registry.ts'
import { answerSchemas } from '../../../scripts/schemas/answerSchemas.mjs'
import { resultSchemas } from '../../../scripts/schemas/resultSchemas.mjs'

it('describes what every command prints as its types are now (otherwise: npm run schemas)', async () => {
  const file = new URL('../../../electron/cli/schemas/resultSchemas.json', import.meta.url)
  expect(readFileSync(file, 'utf8') === (await resultSchemas())).toBe(true)
}, 120_000)

it('describes what the local API answers as its types are now (otherwise: npm run schemas)', async () => {
  const file = new URL('../../../electron/localApi/schemas/answerSchemas.json', import.meta.url)
  expect(readFileSync(file, 'utf8') === (await answerSchemas())).toBe(true)
}, 120_000)

/** Commands that printed an array in 0.2.0, on which scripts rely. */
const arrays = [
  ...['connection list', 'connection test', 'set list', 'watch', 'read', 'sql', 'portfolio snapshots', 'study list'],
  ...['instruments list', 'lists list', 'check list', 'inbox list', 'documents list', 'portfolio own'],
]

it.each(arrays)('%s still prints an array', (command) => {
  const { type, anyOf = [] } = resultSchema(command) as { type?: string; anyOf?: { type?: string }[] }
  const types = [type, ...anyOf.map((each) => each.type)]
  expect(types).toContain('array')
})

it('has a schema with its version for every command that prints a result', async () => {
  const names = (await allCommands()).flatMap(({ verb, actions }) =>
    actions.map(({ name }) => `${verb} ${name}`.trim()),
  )
  const printNone = ['schema', 'mcp', 'export --format', 'study open']
  const without = names.filter((name) => !describedCommands.includes(name))
  expect(without.filter((name) => !printNone.includes(name))).toEqual([])
  for (const name of describedCommands) expect(resultSchema(name)).toMatchObject({ version: 1 })
})

it('can be read by programs that check documents, with every part that a schema refers to', () => {
  for (const name of describedCommands) {
    const schema = resultSchema(name) as Parameters<typeof z.fromJSONSchema>[0]
    expect(() => z.fromJSONSchema(schema)).not.toThrow()
  }
})
