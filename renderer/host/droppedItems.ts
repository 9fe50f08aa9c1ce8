/** A file of a folder, with its path, which begins with the name of the folder. */
interface PlacedFile {
  file: File
  path: string
}

/** What was dropped on the window: files, and folders with all of their files. */
export interface Dropped {
  files: readonly File[]
  folders: readonly { name: string; files: readonly PlacedFile[] }[]
}

/** Takes what a drop carries. A browser shows it only during the event, so the entries are taken before any wait. */
export function droppedItems({ items, files }: Pick<DataTransfer, 'items' | 'files'>): Promise<Dropped> {
  const taken = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  // A script that makes up a drop, as in a test, may give no entries.
  if (taken.length === 0) return Promise.resolve({ files: [...files], folders: [] })
  const folders = taken.flatMap(({ entry }) => (entry?.isDirectory ? (entry as FileSystemDirectoryEntry) : []))
  return Promise.all(
    folders.map(async (folder) => ({ name: folder.name, files: await filesIn(folder, folder.name) })),
  ).then((read) => ({
    files: taken.flatMap(({ entry, file }) => (file === null || entry?.isDirectory ? [] : file)),
    folders: read,
  }))
}

async function filesIn(folder: FileSystemDirectoryEntry, path: string): Promise<PlacedFile[]> {
  const found: PlacedFile[] = []
  for (const entry of await entriesOf(folder)) {
    const innerPath = `${path}/${entry.name}`
    if (entry.isDirectory) found.push(...(await filesIn(entry as FileSystemDirectoryEntry, innerPath)))
    else found.push({ file: await fileOf(entry as FileSystemFileEntry), path: innerPath })
  }
  return found
}

/** Lists a folder, which a browser hands out in parts, the last of which is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) return all
    all.push(...part)
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))
