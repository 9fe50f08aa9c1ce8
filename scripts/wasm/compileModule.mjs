/**
 * Compiles to WebAssembly the subset of AssemblyScript that this folder's sources use: functions on numbers and one
 * memory. AssemblyScript's own compiler would add 100 MB of packages to the project for a module of a few kilobytes.
 */
import ts from 'typescript'
import { functionBody, isInline, TYPES } from './functionBody.mjs'
import { fail, text, encodeUnsigned, vector } from './moduleBytes.mjs'

const section = (id, items) => [id, ...withLength(vector(items))]
const withLength = (bytes) => [...encodeUnsigned(bytes.length), ...bytes]

const IMPORT_SECTION = 2
const FUNCTION_KIND = 0
const MEMORY_KIND = 2

/**
 * Returns the bytes of the module. A `declare function` becomes an import from the module `env`, which also provides
 * the memory; an `export function` becomes an export.
 * @param {string} source
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function compileModule(source) {
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest, true)
  const constants = new Map()
  const functions = new Map()
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement))
      for (const { name, type, initializer } of statement.declarationList.declarations)
        constants.set(name.text, { type: typeOf(type), initializer })
    else if (ts.isFunctionDeclaration(statement)) functions.set(statement.name.text, signature(statement))
    else fail(statement, 'only constants and functions are allowed at the top level')
  }
  const imported = [...functions.values()].filter(({ node }) => !node.body)
  const defined = [...functions.values()].filter(({ node }) => node.body && !isInline(node))
  for (const [index, each] of [...imported, ...defined].entries()) each.index = index
  const scope = { constants, functions }
  const types = [...imported, ...defined].map(({ parameters, result }) => [
    0x60,
    ...vector(parameters.map(({ type }) => [TYPES[type]])),
    ...vector(result === 'void' ? [] : [[TYPES[result]]]),
  ])
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(IMPORT_SECTION, [
      [...text('env'), ...text('memory'), MEMORY_KIND, 0, 1],
      ...imported.map(({ name, index }) => [...text('env'), ...text(name), FUNCTION_KIND, ...encodeUnsigned(index)]),
    ]),
    ...section(
      3,
      defined.map(({ index }) => encodeUnsigned(index)),
    ),
    ...section(
      7,
      defined.filter(isExported).map(({ name, index }) => [...text(name), FUNCTION_KIND, ...encodeUnsigned(index)]),
    ),
    ...section(
      10,
      defined.map((each) => withLength(functionBody(each, scope))),
    ),
  ]
  return Uint8Array.from(bytes)
}

const isExported = ({ node }) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

const typeOf = (type) => type?.getText() ?? 'void'

function signature(node) {
  const parameters = node.parameters.map(({ name, type }) => ({ name: name.text, type: typeOf(type) }))
  return { node, name: node.name.text, parameters, result: typeOf(node.type), index: -1 }
}
