import { posix, relative, sep } from 'node:path'
import { mayImport, roomOf } from './importTable.js'

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
const pathOf = ({ filename }) => relative(root, filename).split(sep).join('/')

const noRoomMessage = (file) =>
  `${posix.dirname(file)} has no place in scripts/lint/importTable.js: put it on a floor (see ARCHITECTURE.md)`

const rule = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const file = pathOf(context)
    const room = roomOf(file)
    if (!room) return { Program: (node) => context.report({ node, message: noRoomMessage(file) }) }
    const check = (node) => {
      if (typeof node?.value !== 'string') return
      const target = targetOf(file, node.value)
      if (!mayImport(file, target)) {
        context.report({
          node,
          message: `${room} may not import ${target}: it is neither on a lower floor nor a package of this one (see ARCHITECTURE.md)`,
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
