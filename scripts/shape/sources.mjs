/** Parses the sources once, so that all figures of `npm run shape` use the same tree. */
import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'
import { parse as parseVue } from 'vue/compiler-sfc'
import { targetOf } from '../lint/zones.js'
import { root } from '../project.mjs'

const isSource = (name) => /\.(ts|vue|mjs|js)$/.test(name) && !name.endsWith('.d.ts')
const isInstalled = (folder) => /[\\/]node_modules\b/.test(folder)

/** Lists the paths of all sources relative to the project's root, with /, in alphabetical order. */
export function sourcePaths(folders) {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isSource(entry.name) && !isInstalled(entry.parentPath))
      .map((entry) => posix.join(folder, join(entry.parentPath, entry.name).slice(join(root, folder).length))),
  )
  return paths.map((path) => path.replaceAll('\\', '/')).sort()
}

/** Replaces everything but the script of a file with spaces, so that offsets and line numbers stay valid. */
function scriptOf(path, text) {
  if (!path.endsWith('.vue')) return text
  const { descriptor } = parseVue(text, { filename: path, sourceMap: false, ignoreEmpty: false })
  const blocks = [descriptor.script, descriptor.scriptSetup].filter(Boolean).map(({ loc }) => loc)
  let script = ''
  let end = 0
  for (const { start, end: stop } of blocks.sort((a, b) => a.start.offset - b.start.offset)) {
    script += blank(text.slice(end, start.offset)) + text.slice(start.offset, stop.offset)
    end = stop.offset
  }
  return script + blank(text.slice(end))
}

const blank = (text) => text.replace(/[^\n]/g, ' ')

/** Parses a file: `tree` is TypeScript's syntax tree (of a component's script); `lines` counts the whole file. */
export function parseSource(path, text) {
  const script = scriptOf(path, text)
  const kind = /\.m?js$/.test(path) ? ts.ScriptKind.JS : ts.ScriptKind.TS
  const tree = ts.createSourceFile(path, script, ts.ScriptTarget.Latest, true, kind)
  const lines = text.trimEnd().split('\n').length
  return { path, text, script, tree, lines, imports: importsOf(path, tree) }
}

/**
 * Lists every module that a file imports, re-exports or loads with import(), including imports of types.
 */
function importsOf(path, tree) {
  const targets = new Set()
  const add = (node) => {
    if (node && ts.isStringLiteralLike(node)) targets.add(targetOf(path, node.text))
  }
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0])
    else if (ts.isImportTypeNode(node)) add(node.argument.literal)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...targets]
}
