import { readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import ts from 'typescript'
import { targetOf } from '../../scripts/lint/zones.js'

const root = join(import.meta.dirname, '..', '..')

export interface SourceFile {
  /** Path from the project's root, with slashes. */
  path: string
  text: string
  /** Imported modules: paths from the root, names of packages and `node:` modules. */
  imports: string[]
}

/** Reads all source files under these folders. */
export function readSources(folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.parentPath.includes('node_modules'))
      .filter((entry) => entry.isFile() && /\.(ts|vue|js|mjs)$/.test(entry.name))
      .map((entry) => readSource(posix.relative(toPosix(root), toPosix(join(entry.parentPath, entry.name))))),
  )
}

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8')

const toPosix = (path: string) => path.replaceAll('\\', '/')

function readSource(path: string): SourceFile {
  const text = readText(path)
  const specifiers = scriptsOf(path, text).flatMap((script) =>
    ts.preProcessFile(script).importedFiles.map(({ fileName }) => fileName),
  )
  return { path, text, imports: specifiers.map((specifier) => targetOf(path, specifier)) }
}

/** Returns the code of a file; for a component, that of its scripts. */
const scriptsOf = (path: string, text: string): string[] =>
  path.endsWith('.vue') ? [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script) : [text]

/** Returns the modules that are loaded together with a file, without imports of types and dynamic imports. */
export function staticImports({ path, text }: SourceFile): string[] {
  const code = scriptsOf(path, text).join('\n')
  // The name ends with .ts, because TypeScript does not know the ending of a component.
  const { statements } = ts.createSourceFile(`${path}.ts`, code, ts.ScriptTarget.Latest)
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
    const specifier = statement.moduleSpecifier
    if (!specifier || !ts.isStringLiteral(specifier) || isOfTypes(statement)) return []
    return [targetOf(path, specifier.text)]
  })
}

function isOfTypes(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly
  const clause = statement.importClause
  if (!clause || clause.name) return clause?.isTypeOnly ?? false
  const named = clause.namedBindings
  return (
    clause.isTypeOnly ||
    (named !== undefined && ts.isNamedImports(named) && named.elements.every(({ isTypeOnly }) => isTypeOnly))
  )
}

/** Finds a cycle of imports. @returns the list of its files, or null */
export function findCycle(files: readonly SourceFile[]): string[] | null {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const finished = new Set<string>()
  const visit = (path: string, trail: readonly string[]): string[] | null => {
    const seenAt = trail.indexOf(path)
    if (seenAt >= 0) return [...trail.slice(seenAt), path]
    const file = byPath.get(path)
    if (!file || finished.has(path)) return null
    for (const target of file.imports) {
      const cycle = visit(target, [...trail, path])
      if (cycle) return cycle
    }
    finished.add(path)
    return null
  }
  for (const { path } of files) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return null
}
