import { expect, it } from 'vitest'
import { droppedItems } from '../../renderer/host/droppedItems.ts'

type Tree = { [name: string]: Tree | string }

/** Builds the entry of a file or folder as a browser hands it out: a folder in parts of two, then an empty one. */
function entryOf(name: string, content: Tree | string): FileSystemEntry {
  if (typeof content === 'string') {
    const file = (take: (file: File) => void) => take(new File([content], name))
    return { name, isDirectory: false, isFile: true, file } as unknown as FileSystemEntry
  }
  const rest = Object.entries(content).map(([inner, each]) => entryOf(inner, each))
  const createReader = () => ({ readEntries: (take: (part: FileSystemEntry[]) => void) => take(rest.splice(0, 2)) })
  return { name, isDirectory: true, isFile: false, createReader } as unknown as FileSystemEntry
}

function dropOf(tree: Tree): Pick<DataTransfer, 'items' | 'files'> {
  const items = Object.entries(tree).map(([name, content]) => ({
    kind: 'file',
    webkitGetAsEntry: () => entryOf(name, content),
    // A folder, too, is handed out as a file, which nobody can read.
    getAsFile: () => new File([typeof content === 'string' ? content : ''], name),
  }))
  return { items, files: [] } as unknown as Pick<DataTransfer, 'items' | 'files'>
}

it('takes files as they are, and folders with all files at any depth', async () => {
  const flows = { 'a.csv': '1', 'b.csv': '22', 'c.csv': '333', older: { 'd.csv': '4444' } }
  const { files, folders } = await droppedItems(dropOf({ 'x.parquet': 'PAR1', flows, empty: {} }))
  expect(files.map(({ name }) => name)).toEqual(['x.parquet'])
  expect(folders.map(({ name, files: inner }) => [name, inner.map(({ path, file }) => [path, file.size])])).toEqual([
    [
      'flows',
      [
        ['flows/a.csv', 1],
        ['flows/b.csv', 2],
        ['flows/c.csv', 3],
        ['flows/older/d.csv', 4],
      ],
    ],
    ['empty', []],
  ])
})
