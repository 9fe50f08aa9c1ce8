import { posix, relative, sep } from 'node:path'
import { mayImport, rowOf } from './importTable.js'

const root = posix.normalize(new URL('../..', import.meta.url).pathname)

const packageNameOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

/** Resolves an import specifier in `file` to a path from the root, a package name, or a node: module. */
export function targetOf(file, specifier) {
  const plain = specifier.replace(/\?.*$/, '')
  if (plain.startsWith('#shared/')) return plain.replace('#shared/', 'shared/')
  if (plain.startsWith('#core/')) return plain.replace('#core/', 'electron/core/')
  if (plain.startsWith('.')) return posix.join(posix.dirname(file), plain)
  if (plain.startsWith('node:')) return plain
  return packageNameOf(plain)
}

/** Returns the path of the linted file relative to the root, with /. */
export const pathOf = ({ filename }) => relative(root, filename).split(sep).join('/')

const noRowMessage = (file) =>
  `${posix.dirname(file)} has no row in scripts/lint/importTable.js: say there what it may import (see ARCHITECTURE.md)`

const rule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const file = pathOf(context)
    const row = rowOf(file)
    if (!row) return { Program: (node) => context.report({ node, message: noRowMessage(file) }) }
    const { folder, may } = row
    const check = (node) => {
      if (typeof node?.value !== 'string') return
      const target = targetOf(file, node.value)
      if (!mayImport(file, target)) {
        context.report({
          node,
          message: `${folder} may not import ${target}; it may import: ${may.join(', ') || 'nothing'} (see ARCHITECTURE.md)`,
        })
      }
    }
    return {
      ImportDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
    }
  },
}

export const zones = { rules: { imports: rule } }
