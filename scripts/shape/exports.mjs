/** Finds the names that files export, and which other files use each of them. */
import { posix } from 'node:path'
import ts from 'typescript'
import { targetOf } from '../lint/zones.js'

const isExported = (node) => node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)))
}

/** Lists the names that a file exports, except a component's own. */
function exportedNames({ tree }) {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement))
      return statement.exportClause && ts.isNamedExports(statement.exportClause)
        ? statement.exportClause.elements.map(({ name }) => name.text)
        : []
    if (!isExported(statement)) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
    return statement.name ? [statement.name.text] : []
  })
}

/** Lists what a file takes from others, as `file name`; the name is `*` where a file may take everything. */
function* usedNames({ path, tree, script }) {
  for (const statement of tree.statements) {
    const isImport = ts.isImportDeclaration(statement)
    if (!isImport && !(ts.isExportDeclaration(statement) && statement.moduleSpecifier)) continue
    const target = targetOf(path, statement.moduleSpecifier.text)
    const named = isImport ? statement.importClause?.namedBindings : statement.exportClause
    if (!isImport && !named) yield `${target} *`
    if (named && !named.elements) yield `${target} *`
    for (const { name, propertyName } of named?.elements ?? []) yield `${target} ${(propertyName ?? name).text}`
  }
  // Modules loaded with import(), folders of which one is chosen by name, types named by import('…') and mocked modules are used as a whole.
  for (const [, specifier] of script.matchAll(/\b(?:import|importOriginal|mock|doMock)\(\s*'([^']+)'/g))
    yield `${targetOf(path, specifier)} *`
  for (const [, folder] of script.matchAll(/\bimport\(`([^`$]+)\/\$\{/g)) yield `${targetOf(path, folder)}/ *`
}

/**
 * Lists the exports of some files that no other file uses.
 * @param exporting sources whose exports count
 * @param all sources that may use them, tests included
 */
export function unusedExports(exporting, all) {
  const used = new Set(all.flatMap((source) => [...usedNames(source)]))
  return exporting.flatMap((source) =>
    used.has(`${source.path} *`) || used.has(`${posix.dirname(source.path)}/ *`)
      ? []
      : exportedNames(source)
          .filter((name) => !used.has(`${source.path} ${name}`))
          .map((name) => ({ path: source.path, note: name })),
  )
}

/** Lists the names that two files or more export. */
export function namesOfSeveralFiles(sources) {
  const paths = new Map()
  for (const source of sources)
    for (const name of new Set(exportedNames(source))) paths.set(name, [...(paths.get(name) ?? []), source.path])
  return [...paths]
    .filter(([, files]) => files.length > 1)
    .map(([name, files]) => ({ path: files[0], note: `${name}, also in ${files.slice(1).join(', ')}` }))
}
