/**
 * Finds the facts about one parsed source: its functions, the faults of its comments, and its forbidden names and
 * phrases.
 */
import ts from 'typescript'
import { commentText, firstSentence, judgeComment } from '../lint/comments.js'
import { insteadOfName, phrasesIn } from '../lint/language.js'
import { lineAt } from './sources.mjs'

const K = ts.SyntaxKind

/** Collects everything that `npm run shape` needs to know about a file, as plain data that can be cached. */
export function factsOf(source) {
  const { path, lines, imports, text } = source
  const rawLines = text.split('\n').length
  return {
    path,
    lines,
    rawLines,
    imports,
    functions: functionsOf(source),
    ...commentFacts(source),
    forbidden: forbiddenTerms(source),
  }
}

function nameOfFunction(node, tree) {
  const named = node.name ?? node.parent?.name
  if (named) return named.getText(tree)
  const call = ts.isCallExpression(node.parent) ? node.parent.expression.getText(tree) : ''
  return call ? `(in ${call.split('\n')[0].slice(0, 40)})` : '(anonymous)'
}

function functionsOf(source) {
  const found = []
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const line = lineAt(source, node.getStart(source.tree))
      found.push({ name: nameOfFunction(node, source.tree), line, lines: lineAt(source, node.end) - line + 1 })
    }
    ts.forEachChild(node, visit)
  }
  visit(source.tree)
  return found
}

const phraseOwnerKinds = new Set([
  K.PropertySignature,
  K.PropertyDeclaration,
  K.PropertyAssignment,
  K.ShorthandPropertyAssignment,
  K.MethodSignature,
  K.GetAccessor,
  K.InterfaceDeclaration,
  K.TypeAliasDeclaration,
  K.ClassDeclaration,
  K.Parameter,
  K.UnionType,
])

function ownerAllowsPhrase(node) {
  if (!node) return false
  if (!ts.isVariableStatement(node)) return phraseOwnerKinds.has(node.kind)
  const value = node.declarationList.declarations[0].initializer
  return !(value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)))
}

/**
 * Finds the largest node that begins at each of these offsets; a comment before the offset describes this node.
 */
function nodesAt(tree, offsets) {
  const found = new Map()
  const visit = (node) => {
    const start = node.getStart(tree)
    if (offsets.has(start) && !found.has(start)) found.set(start, node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(tree, visit)
  return found
}

/**
 * Returns the children of a node. To save time, tokens (braces, commas) are included only if there is a comment between
 * the children.
 */
function childrenWithComments(node, { tree, script }) {
  const children = []
  ts.forEachChild(node, (child) => void children.push(child))
  let end = node.pos
  const hasGap = [...children, { pos: node.end, end: node.end }].some((child) => {
    const gap = script.slice(end, child.pos)
    end = child.end
    return gap.includes('//') || gap.includes('/*')
  })
  return hasGap ? node.getChildren(tree).filter((child) => !ts.isJSDoc(child)) : children
}

/** Finds the ranges of all comments; consecutive line comments count as one. */
function commentRanges(source) {
  const { tree, script } = source
  const found = new Map()
  const take = (range) => found.set(range.pos, range)
  const visit = (node) => {
    ts.getLeadingCommentRanges(script, node.pos)?.forEach(take)
    ts.getTrailingCommentRanges(script, node.end)?.forEach(take)
    for (const child of childrenWithComments(node, source)) visit(child)
  }
  visit(tree)
  const groups = []
  for (const { pos, end, kind } of [...found.values()].sort((a, b) => a.pos - b.pos)) {
    const lastGroup = groups.at(-1)
    const between = lastGroup ? script.slice(lastGroup.end, pos) : ''
    const continues = lastGroup?.isLine && kind === K.SingleLineCommentTrivia && /^[ \t]*\r?\n[ \t]*$/.test(between)
    if (continues && lastGroup.isAlone) lastGroup.end = end
    else groups.push({ pos, end, isLine: kind === K.SingleLineCommentTrivia, isAlone: isAlone(script, pos) })
  }
  return groups
}

const isAlone = (script, pos) => /^\s*$/.test(script.slice(script.lastIndexOf('\n', pos - 1) + 1, pos))

function commentFacts(source) {
  const { tree, script } = source
  const ranges = commentRanges(source)
  const nextOffset = ({ end }) => end + /^\s*/.exec(script.slice(end))[0].length
  const owners = nodesAt(tree, new Set(ranges.map(nextOffset)))
  const faults = ranges.flatMap((range) => {
    const text = commentText(script.slice(range.pos, range.end))
    // A comment at the end of a line describes that line, which usually declares a field or a constant.
    const allowsPhrase = !range.isAlone || ownerAllowsPhrase(owners.get(nextOffset(range)))
    const fault = judgeComment(text, allowsPhrase)
    return fault ? [{ fault, line: lineAt(source, range.pos), text: firstSentence(text) }] : []
  })
  return { comments: ranges.length, faults }
}

const keyKinds = new Set([
  K.PropertySignature,
  K.PropertyDeclaration,
  K.PropertyAssignment,
  K.MethodSignature,
  K.GetAccessor,
])

/**
 * Tells whether an identifier declares a new name. `{ a }` and an import without `as` do not, because they repeat a
 * name that is declared elsewhere.
 */
function declaresNewName(node) {
  const { parent } = node
  if (parent.name !== node || ts.isPropertyAccessExpression(parent) || ts.isShorthandPropertyAssignment(parent))
    return false
  if (ts.isImportSpecifier(parent)) return parent.propertyName !== undefined
  return !(ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent) && !parent.propertyName)
}

function forbiddenTerms(source) {
  const found = []
  const { tree, path, template } = source
  const base = path
    .split('/')
    .at(-1)
    .replace(/\.\w+$/, '')
  const sayOfFile = insteadOfName(base, path)
  if (sayOfFile) found.push({ line: 1, term: `file name ${base}`, say: sayOfFile })
  const addPhrases = (text, lineOf) => {
    for (const { phrase, say, at } of phrasesIn(text, path)) found.push({ line: lineOf(at), term: phrase, say })
  }
  const visit = (node) => {
    if (ts.isIdentifier(node) && node.parent && declaresNewName(node)) {
      const say = insteadOfName(node.text, path, keyKinds.has(node.parent.kind))
      if (say) found.push({ line: lineAt(source, node.getStart(tree)), term: node.text, say })
    } else if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      addPhrases(node.text, () => lineAt(source, node.getStart(tree)))
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  addPhrases(template, (at) => lineAt(source, at))
  return found
}
