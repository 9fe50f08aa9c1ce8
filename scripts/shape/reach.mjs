/**
 * Follows the code from named functions through calls and imports, and returns the files that it reaches. Types are not
 * followed. `threadEntry('name', …)`, which starts a worker, leads to the worker's file, and a contract call
 * `….call('area.verb', …)` to its handler. Injected functions cannot be followed; they have to be starting points.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { targetOf } from '../lint/zones.js'
import { at } from '../project.mjs'
import { parseSource } from './sources.mjs'

const HANDLERS = 'electron/core/handlers'

/** Creates a function that returns the parsed file at a path; each file is parsed only once. */
function createModuleReader() {
  const modules = new Map()
  return (path) => {
    if (!modules.has(path)) modules.set(path, readModule(path))
    return modules.get(path)
  }
}

function readModule(path) {
  const source = parseSource(path, readFileSync(at(path), 'utf8'))
  const imports = new Map()
  for (const statement of source.tree.statements) {
    if (!ts.isImportDeclaration(statement) || statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
      continue
    const target = targetOf(path, statement.moduleSpecifier.text)
    const { name, namedBindings } = statement.importClause ?? {}
    if (name) imports.set(name.text, { target, name: 'default' })
    if (namedBindings && ts.isNamedImports(namedBindings))
      for (const element of namedBindings.elements)
        if (!element.isTypeOnly)
          imports.set(element.name.text, { target, name: (element.propertyName ?? element.name).text })
  }
  return { ...source, imports }
}

/** Returns the names that a pattern binds: `{ a, b: c }` binds a and c. */
function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)))
}

const statementsOf = (node) => {
  if (ts.isSourceFile(node) || ts.isBlock(node) || ts.isModuleBlock(node)) return node.statements
  if (ts.isCaseClause(node) || ts.isDefaultClause(node)) return node.statements
  return []
}

/**
 * Finds the declaration of a name in one scope. Returns the node to walk, 'parameter' if the value is passed in, or
 * undefined.
 */
function findDeclaration(scope, name) {
  if (ts.isFunctionLike(scope) && scope.parameters?.some((parameter) => boundNames(parameter.name).includes(name)))
    return 'parameter'
  for (const statement of statementsOf(scope)) {
    const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
    if (isNamed && statement.name?.text === name) return statement
    if (!ts.isVariableStatement(statement)) continue
    const found = statement.declarationList.declarations.find((declaration) =>
      boundNames(declaration.name).includes(name),
    )
    if (found) return found
  }
  return undefined
}

function declarationOf(identifier) {
  for (let scope = identifier.parent; scope; scope = scope.parent) {
    const found = findDeclaration(scope, identifier.text)
    if (found) return found
  }
  return undefined
}

const isReference = (node) => {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  return !(parent.name === node && !ts.isShorthandPropertyAssignment(parent)) && !ts.isBindingElement(parent)
}

/** Finds the function, class, method, property or variable of this name that is declared anywhere below a node. */
function findNamed(node, name) {
  let found
  const visit = (child) => {
    if (found) return
    const isDeclaration =
      ts.isVariableDeclaration(child) ||
      ts.isFunctionDeclaration(child) ||
      ts.isMethodDeclaration(child) ||
      ts.isPropertyAssignment(child) ||
      ts.isShorthandPropertyAssignment(child) ||
      ts.isClassDeclaration(child) ||
      ts.isGetAccessor(child)
    if (isDeclaration && child.name && (child.name.text ?? '') === name) found = child
    else ts.forEachChild(child, visit)
  }
  ts.forEachChild(node, visit)
  return found
}

const isCallOf = (node, name) =>
  ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.expression.name.text === name

/** Finds the handler of a contract call by its key in the folder of handlers; null if there is none. */
function findHandler(moduleOf, callName) {
  for (const file of readdirSync(at(HANDLERS)).sort()) {
    const path = posix.join(HANDLERS, file)
    if (!readFileSync(at(path), 'utf8').includes(callName)) continue
    const node = findNamed(moduleOf(path).tree, callName)
    if (node) return { path, node }
  }
  return null
}

/**
 * Lists the files that the starting points reach.
 * @param starts `{ file, from }`: a file and the name of a function in it
 */
export function reachedFiles(starts) {
  const moduleOf = createModuleReader()
  const reached = new Set()
  const seen = new Set()
  const isFile = (path) => /\.(ts|vue)$/.test(path) && existsSync(at(path))

  const enter = (path, name) => {
    if (!isFile(path)) return
    const { tree } = moduleOf(path)
    const isWhole = name === 'default' || name === '*'
    const node = isWhole ? tree : findDeclaration(tree, name)
    reached.add(path)
    if (node && node !== 'parameter') walk(path, node)
  }

  const follow = (path, identifier) => {
    const declaration = declarationOf(identifier)
    if (declaration === 'parameter') return
    if (declaration) return walk(path, declaration)
    const imported = moduleOf(path).imports.get(identifier.text)
    if (imported) enter(imported.target, imported.name)
  }

  const followNamedCall = (path, node) => {
    const [first] = node.arguments
    if (!first || !ts.isStringLiteralLike(first)) return
    if (ts.isIdentifier(node.expression) && node.expression.text === 'threadEntry')
      enter(posix.join(posix.dirname(path), `${first.text}.ts`), '*')
    if (node.expression.kind === ts.SyntaxKind.ImportKeyword) enter(targetOf(path, first.text), '*')
    if (isCallOf(node, 'call') && first.text.includes('.')) {
      const handler = findHandler(moduleOf, first.text)
      if (!handler) return
      reached.add(handler.path)
      walk(handler.path, handler.node)
    }
  }

  const walk = (path, node) => {
    if (seen.has(node)) return
    seen.add(node)
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return
    if (ts.isIdentifier(node) && node.parent && isReference(node)) follow(path, node)
    if (ts.isCallExpression(node)) followNamedCall(path, node)
    ts.forEachChild(node, (child) => walk(path, child))
  }

  for (const { file, from } of starts) {
    const node = findNamed(moduleOf(file).tree, from)
    if (!node) throw new Error(`${file} declares no ${from}: see STUDY_RUN in scripts/shape/figures.mjs.`)
    reached.add(file)
    walk(file, node)
  }
  return [...reached].sort()
}
