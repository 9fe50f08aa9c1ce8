import { existsSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { ownRecipe } from '#shared/contract/areas/data.ts'
import { AppError } from '#shared/contract/errors.ts'
import { isOwnName } from '#shared/formula/ownData.ts'
import { findFreeName } from '#core/store/documentStore.ts'
import { type OwnRecipe, recipeOf } from '#core/store/ownDataStore.ts'
import type { Store } from '#core/store/store.ts'
import { parseWith, readDocumentText, writeDocumentText } from './documentText.ts'

const format = 'perpscope own dataset'
const MOST_RECIPE_BYTES = 4 * 2 ** 20
const LONGEST_NAME = 31

/**
 * Datasets of the user's own are kept in the folder as recipes: which files are read, and how. The rows stay in the data
 * folder, and a recipe that comes from the folder changes none: the next refresh follows it.
 */
export function recipeFolderKind({ ownData, documentFiles }: Pick<Store, 'ownData' | 'documentFiles'>) {
  const root = () => documentFiles.folder() ?? ''

  /** Writes paths inside the documents folder relative to it, because they are so on every machine. */
  function writtenPath(path: string): string {
    const inside = relative(root(), path)
    return isAbsolute(inside) || inside.split(sep)[0] === '..' ? path : inside.split(sep).join('/')
  }

  const pathsOf = (paths: readonly string[]) =>
    paths.map((path) => (isAbsolute(path) ? resolve(path) : resolve(join(root(), path))))

  const textOf = (name: string, { paths, choices }: OwnRecipe) => {
    const { isEvents, units, ...others } = choices
    const document = { version: 1, paths: paths.map(writtenPath), ...others, events: isEvents, units }
    return writeDocumentText(format, { name }, ownRecipe.parse(document))
  }

  /** Keeps the paths of a dataset whose files are elsewhere on the machine that wrote a recipe. */
  function usablePaths(name: string, paths: readonly string[]): readonly string[] {
    const found = ownData.find(name)
    return found === null || paths.every((path) => existsSync(path)) ? paths : recipeOf(found.record).paths
  }

  return {
    ...{ kind: 'own' as const, folder: 'own', suffix: '.own.json', mostBytes: MOST_RECIPE_BYTES },
    isKeyedByName: true,
    list: () => ownData.list().map(({ name, record }) => ({ id: name, name, text: textOf(name, recipeOf(record)) })),
    read(text: string, fallbackName: string) {
      const found = readDocumentText(text, format, fallbackName)
      if ('problem' in found) return found
      const { name } = found
      if (!isOwnName(name)) return { problem: `has the name “${name}”, which no dataset of one’s own can have.` }
      const parsed = parseWith(ownRecipe, found.document)
      if ('problem' in parsed) return { problem: `cannot be used: ${parsed.problem.replace(/\.$/, '')}.` }
      const { version: _, paths, events, ...choices } = parsed.document
      const recipe = { paths: pathsOf(paths), choices: { ...choices, isEvents: events } }
      return {
        id: name,
        name,
        text: () => textOf(name, recipe),
        put: () => ownData.follow(name, { ...recipe, paths: usablePaths(name, recipe.paths) }),
      }
    },
    remove(id: string) {
      if (ownData.parts(id).length > 0)
        throw new AppError('conflict', `own_${id} has rows here; “perpscope data remove ${id}” removes them with it.`)
      ownData.remove(id, () => {})
    },
    park() {},
    copy(id: string) {
      const { record } = ownData.read(id)
      const name = findFreeName(id, (free) => ownData.find(nameLike(free)) !== null)
      ownData.follow(nameLike(name), recipeOf(record))
    },
  }
}

/** Turns a name with a number, such as `flows 2`, into one that a dataset may have. */
const nameLike = (name: string): string => {
  const [, stem, number = ''] = /^(.*?)( \d+)?$/.exec(name)!
  return stem.slice(0, LONGEST_NAME - number.length) + number.replace(' ', '_')
}
