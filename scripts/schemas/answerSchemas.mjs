/** Describes what the local API answers in JSON Schema: the types of its routes, as the compiler sees them. */
import { join } from 'node:path'
import ts from 'typescript'
import { entryLines, openProgram, root, sorted } from './program.mjs'
import { schemaWriter } from './typeSchema.mjs'

const routesFile = join(root, 'electron/localApi/routes.ts')

/** Makes the text of the file: the schema of each answer that is no table, by its operation. */
export async function answerSchemas() {
  const { routes } = await import('../../electron/localApi/routes.ts')
  const program = openProgram(routesFile)
  const checker = program.getTypeChecker()
  const [answers] = program
    .getSourceFile(routesFile)
    .statements.filter((node) => ts.isTypeAliasDeclaration(node) && node.name.text === 'RouteAnswers')
  const types = checker.getTypeAtLocation(answers)
  const writer = schemaWriter(checker, '#/components/schemas/', (type) => resultName(type, checker))
  const described = routes
    .filter(({ operation }) => operation.gives !== 'table')
    .map(({ operationId }) => {
      const type = checker.getTypeOfSymbol(checker.getPropertyOfType(types, operationId))
      return [operationId, writer.union([type])]
    })
  const parts = readable({ answers: Object.fromEntries(described), definitions: sorted(writer.definitions) })
  const body = Object.entries(parts).map(([part, entries]) => `"${part}": {\n${entryLines(entries)}\n}`)
  return `{\n${body.join(',\n')}\n}\n`
}

/** Describes a value that can only be true, or only false, as any boolean: generators of clients write bad code for it. */
const readable = (schemas) =>
  JSON.parse(JSON.stringify(schemas), (_, schema) =>
    typeof schema?.const === 'boolean' ? { ...schema, const: undefined, type: 'boolean' } : schema,
  )

/** Names the results of studies after their kind, such as `SignalResult`; other types without a name have none. */
function resultName(type, checker) {
  const typeOf = (of, name) => {
    const property = of && checker.getPropertyOfType(of, name)
    return property && checker.getTypeOfSymbol(property)
  }
  const kind = typeOf(typeOf(type, 'study'), 'kind')
  return kind?.isStringLiteral() ? `${kind.value[0].toUpperCase()}${kind.value.slice(1)}Result` : undefined
}
