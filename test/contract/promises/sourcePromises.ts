import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { sortedSet, type Promises } from './promises.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const levels = new Set(['debug', 'info', 'warn', 'error'])
/** System variables that the app reads under their usual names. */
const systemVariable = /^((HTTPS?|NO|ALL)_PROXY|NO_COLOR|TERM|XDG_\w+|APPDATA|LOCALAPPDATA)$/

/**
 * Lists log messages and environment variables, from the syntax of all sources; file names and internal names do not
 * matter.
 */
export function sourcePromises(): Promises {
  const messages: string[] = []
  const variables: string[] = []
  for (const source of readScripts(['electron', 'renderer', 'shared'])) {
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) messages.push(...logMessage(node))
      variables.push(...variableNames(node))
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  return { 'log messages': sortedSet(messages), 'environment variables': sortedSet(variables) }
}

function readScripts(folders: readonly string[]): ts.SourceFile[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((at) => join(folder, at)),
    )
    .filter((path) => /\.(ts|vue|mjs)$/.test(path))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const scripts = [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script)
      return ts.createSourceFile(path, path.endsWith('.vue') ? scripts.join('\n') : text, ts.ScriptTarget.Latest)
    })
}

/** Returns the messages of a call on a log whose first argument is a level; an inserted value is written as `…`. */
function logMessage({ expression, arguments: [level, message] }: ts.CallExpression): string[] {
  if (!level || !message || !ts.isStringLiteral(level) || !levels.has(level.text)) return []
  if (!ts.isPropertyAccessExpression(expression) || !isLog(expression.expression)) return []
  const text = textOf(message)
  return text === null ? [] : [`${level.text}: ${text}`]
}

/** Tells whether an expression is `log`, `deps.log` or `logger`. */
const isLog = (node: ts.Expression) =>
  /log(ger)?$/i.test(ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) ? node.text : '')

function textOf(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return null
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')
}

function variableNames(node: ts.Node): string[] {
  if (!ts.isStringLiteralLike(node) && !ts.isIdentifier(node)) return []
  const name = node.text
  return /^PERPSCOPE_[A-Z0-9_]+$/.test(name) || systemVariable.test(name) ? [name] : []
}
