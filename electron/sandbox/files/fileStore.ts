import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileRecipe, recipeKey, type GeneratedFile } from './fileRecipe.ts'
import { jointDatasets } from './jointDatasets.ts'

/** Generates the files of a recipe in a folder: the requested one and those that result from the same work. */
export type MakeFiles = (recipe: FileRecipe, folder: string) => Promise<GeneratedFile[]>

/** Returns the key of the work that a recipe needs; the files of recipes with the same key are generated together. */
export const workKey = (recipe: FileRecipe) =>
  recipe.kind === 'raw' ? recipeKey(recipe) : recipeKey({ ...recipe, dataset: jointDatasets(recipe).join() })

/** Lists the keys of all recipes that are generated together with this one. */
const keysOfWork = (recipe: FileRecipe) =>
  recipe.kind === 'raw'
    ? [recipeKey(recipe)]
    : jointDatasets(recipe).map((dataset) => recipeKey({ ...recipe, dataset }))

/** The generated files, in a folder of limited size; the least recently used are removed first. */
export class GeneratedFiles {
  readonly folder: string
  private readonly limitBytes: number
  private readonly make: MakeFiles
  /** Files by recipe, least recently used first. */
  private readonly files = new Map<string, GeneratedFile>()
  /** Running generation of each file, by recipe. */
  private readonly pending = new Map<string, Promise<void>>()
  private totalBytes = 0
  madeCount = 0

  constructor(make: MakeFiles, limitBytes: number, parentFolder: string = tmpdir()) {
    this.make = make
    this.limitBytes = limitBytes
    this.folder = createFilesFolder(parentFolder)
  }

  get sizeBytes(): number {
    return this.totalBytes
  }

  async get(recipe: FileRecipe): Promise<GeneratedFile> {
    const key = recipeKey(recipe)
    const cached = this.files.get(key)
    if (cached) {
      this.files.delete(key)
      this.files.set(key, cached)
      return cached
    }
    await (this.pending.get(key) ?? this.start(recipe))
    const made = this.files.get(key)
    if (!made) throw new Error(`the recipe produced no file: ${key}`)
    return made
  }

  private start(recipe: FileRecipe): Promise<void> {
    const keys = keysOfWork(recipe).filter((key) => !this.pending.has(key))
    const running = this.make(recipe, this.folder)
      .then((files) => this.keep(files))
      .finally(() => keys.forEach((key) => this.pending.delete(key)))
    for (const key of keys) this.pending.set(key, running)
    return running
  }

  /** Adds files and then frees space; the new files stay. */
  private keep(files: GeneratedFile[]): void {
    const newKeys = new Set(files.map(({ recipe }) => recipeKey(recipe)))
    for (const file of files) {
      const key = recipeKey(file.recipe)
      const before = this.files.get(key)
      if (before) this.drop(key, before)
      this.files.set(key, file)
      this.totalBytes += file.sizeBytes
      this.madeCount++
    }
    for (const [key, file] of this.files) {
      if (this.totalBytes <= this.limitBytes) break
      if (!newKeys.has(key)) this.drop(key, file)
    }
  }

  private drop(key: string, file: GeneratedFile): void {
    this.files.delete(key)
    this.totalBytes -= file.sizeBytes
    // A file that is still open elsewhere is removed with the folder at the end.
    void rm(file.path, { force: true }).catch(() => {})
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const folderPattern = /^perpscope-sandbox-(\d+)-/

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // EPERM means that the process is running, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Creates a new folder for generated files, and removes the folders of sandboxes that were killed. */
export function createFilesFolder(parentFolder: string): string {
  mkdirSync(parentFolder, { recursive: true })
  for (const name of readdirSync(parentFolder)) {
    const ownerPid = folderPattern.exec(name)?.[1]
    if (ownerPid && !isRunning(Number(ownerPid))) rmSync(join(parentFolder, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(parentFolder, `perpscope-sandbox-${process.pid}-`))
}
