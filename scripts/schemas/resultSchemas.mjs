/** Finds what each command prints with `--json`, and describes it in JSON Schema. */
import { join } from 'node:path'
import ts from 'typescript'
import { entryLines, openProgram, root, sorted } from './program.mjs'
import { schemaWriter } from './typeSchema.mjs'

const commandLineFolder = join(root, 'electron/cli/')
/** Version of every shape; a shape that breaks its readers gets the next. */
const VERSION = 1

/** Commands that stream what they print as text, whose rows depend on what is asked. */
const streamed = {
  read: { type: 'array', items: { type: 'object', properties: { time: { type: ['number', 'string'] } } } },
  sql: { type: 'array', items: { type: 'object' } },
}

/** Makes the text of the file: the schema of each command by its name, such as `study list`. */
export async function resultSchemas() {
  const { allCommands } = await import('../../electron/cli/registry.ts')
  const commands = await allCommands()
  const program = openProgram(...commands.map(({ verb }) => pathOf(verb)))
  const checker = program.getTypeChecker()
  const writer = schemaWriter(checker)
  const schemas = {}
  for (const { verb, actions } of commands) {
    const file = program.getSourceFile(pathOf(verb))
    const nodes = actionNodes(file, checker, actions)
    actions.forEach(({ name }, at) => {
      const printed = printedBy(nodes[at] ?? file, checker)
      const own = streamed[verb] ? [streamed[verb]] : []
      if (printed.length + own.length > 0) schemas[`${verb} ${name}`.trim()] = schemaOf(printed, own, writer)
    })
  }
  const parts = { commands: schemas, definitions: sorted(writer.definitions) }
  const body = Object.entries(parts).map(([part, entries]) => `"${part}": {\n${entryLines(entries)}\n}`)
  return `{\n"version": ${VERSION},\n${body.join(',\n')}\n}\n`
}

/** `self-check` is in selfCheck.ts. */
const pathOf = (verb) =>
  join(commandLineFolder, 'commands', `${verb.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase())}.ts`)

/** Finds the node of each action in the list that a command exports; an action that is made in a loop has none. */
function actionNodes(file, checker, actions) {
  let elements = []
  const visit = (node) => {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'actions' &&
      ts.isArrayLiteralExpression(node.initializer)
    )
      elements = [...node.initializer.elements]
    else ts.forEachChild(node, visit)
  }
  visit(file)
  const nodes = elements.flatMap((element) => (ts.isSpreadElement(element) ? [] : [declarationOf(element, checker)]))
  const missing = actions.length - nodes.length
  // Actions of a loop come first, in the command that has some; they share one function.
  const spread = elements.find(ts.isSpreadElement)
  return [
    ...Array.from({ length: missing }, () => (spread ? declarationOf(spread.expression, checker) : undefined)),
    ...nodes,
  ]
}

function declarationOf(node, checker) {
  if (!ts.isIdentifier(node)) return node
  const declaration = resolved(node, checker)
  return declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : (declaration ?? node)
}

function resolved(identifier, checker) {
  const symbol = ts.isShorthandPropertyAssignment(identifier.parent)
    ? checker.getShorthandAssignmentValueSymbol(identifier.parent)
    : checker.getSymbolAtLocation(identifier)
  if (!symbol) return undefined
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return target.declarations?.[0]
}

/** Lists what a node prints, itself or in functions of the command line that it names. */
function printedBy(start, checker) {
  const [seen, printed] = [new Set(), []]
  const visit = (node) => {
    if (
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      isOutput(node.expression, checker)
    )
      printed.push({
        isLine: node.expression.name.text === 'record',
        type: checker.getTypeAtLocation(node.arguments[0]),
      })
    if (ts.isIdentifier(node)) enter(node)
    ts.forEachChild(node, visit)
  }
  const enter = (identifier) => {
    const declaration = resolved(identifier, checker)
    if (!declaration || seen.has(declaration)) return
    const isFunction =
      ts.isFunctionDeclaration(declaration) ||
      (ts.isVariableDeclaration(declaration) &&
        declaration.initializer &&
        (ts.isArrowFunction(declaration.initializer) || ts.isFunctionExpression(declaration.initializer)))
    if (!isFunction || !declaration.getSourceFile().fileName.startsWith(commandLineFolder)) return
    seen.add(declaration)
    visit(declaration)
  }
  visit(start)
  return printed
}

const isOutput = ({ expression, name }, checker) =>
  ['result', 'record'].includes(name.text) && checker.getTypeAtLocation(expression).symbol?.name === 'Output'

function schemaOf(printed, own, { union }) {
  const shapes = [...own, ...(printed.length > 0 ? [union(printed.map(({ type }) => type))] : [])]
  const shape = shapes.length === 1 ? shapes[0] : { anyOf: shapes }
  const isLines = printed.some(({ isLine }) => isLine)
  return { description: `${isLines ? 'Each line of the output' : 'The output'} is one such document.`, ...shape }
}
