/**
 * Follows the code from a named function through calls and imports, and returns the files that it reaches. Types are
 * not followed. `threadEntry('name', …)`, which starts a worker, leads to the worker's file, and a contract call
 * `….call('area.verb', …)` to its handler. Injected functions cannot be followed, so the table of flows lists them as
 * further starting points.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { targetOf } from '../lint/zones.js'
import { at } from '../project.mjs'
import { commentText, firstSentence, judgeComment } from '../lint/comments.js'
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
 * Lists the files in the order in which they are reached from the starting points, each with the name by which it was
 * entered and its comment.
 * @param starts `{ file, from }`: a file and a name in it, `outer.inner` for one inside a function, `*` for all
 * @param isFollowed tells whether a file belongs to the flow; other files are not entered
 */
export function walkFlow(starts, isFollowed) {
  const moduleOf = createModuleReader()
  const reached = new Map()
  const reach = (path, name, node) => {
    if (!reached.has(path)) reached.set(path, { path, name, comment: commentOf(moduleOf(path), node) })
  }
  const seen = new Set()
  const isFile = (path) => /\.(ts|vue)$/.test(path) && existsSync(at(path))

  const enter = (path, name) => {
    if (!isFile(path) || !isFollowed(path)) return
    const { tree } = moduleOf(path)
    const isWhole = name === 'default' || name === '*'
    const node = isWhole ? tree : findDeclaration(tree, name)
    reach(path, name, node)
    if (isWhole) walkAll(path)
    else if (node && node !== 'parameter') walk(path, node)
  }

  const walkAll = (path) => {
    const { tree, template, imports } = moduleOf(path)
    for (const statement of tree.statements) if (!ts.isImportDeclaration(statement)) walk(path, statement)
    for (const [name, { target, name: exported }] of imports)
      if (template.includes(`<${name}`) || new RegExp(`[^\\w.]${name}\\(`).test(template)) enter(target, exported)
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
    if (isCallOf(node, 'call') && first.text.includes('.')) {
      const handler = findHandler(moduleOf, first.text)
      if (handler && isFollowed(handler.path)) {
        reach(handler.path, first.text, handler.node)
        walk(handler.path, handler.node)
      }
    }
  }

  const walk = (path, node) => {
    if (seen.has(node)) return
    seen.add(node)
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isIdentifier(node) && node.parent && isReference(node)) follow(path, node)
    if (ts.isCallExpression(node)) followNamedCall(path, node)
    ts.forEachChild(node, (child) => walk(path, child))
  }

  for (const { file, from } of starts) {
    if (!isFile(file)) throw new Error(`A flow starts in ${file}, which no longer exists: see scripts/shape/flows.mjs.`)
    const { tree } = moduleOf(file)
    const node = from === '*' ? tree : from.split('.').reduce((outer, name) => outer && findNamed(outer, name), tree)
    if (!node)
      throw new Error(`A flow starts at ${from} in ${file}, which no longer exists: see scripts/shape/flows.mjs.`)
    reach(file, from, node)
    if (node === tree) walkAll(file)
    else walk(file, node)
  }
  return [...reached.values()]
}

/**
 * Returns the sentence that describes a file: from the comment above its imports, else from the one on the declaration
 * by which it was entered, else from the first comment on a declaration; null if there is none.
 */
function commentOf({ tree, script }, node) {
  const statement = node && node !== 'parameter' && ts.isVariableDeclaration(node) ? node.parent.parent : node
  const withFileComment = tree.statements.slice(0, 1).filter(ts.isImportDeclaration)
  const entered = statement && statement !== 'parameter' ? [statement] : []
  for (const documented of [...withFileComment, ...entered, ...tree.statements]) {
    const [range] = (ts.getLeadingCommentRanges(script, documented.pos) ?? []).slice(-1)
    const text = range ? commentText(script.slice(range.pos, range.end)) : ''
    if (text && !text.startsWith('@') && judgeComment(text, true) === null) return firstSentence(text)
  }
  return null
}
