import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openCacheFolder } from '#core/store/cacheFolder.ts'
import { clearOldFiles } from '#core/store/filesPlace.ts'
import { moveFiles } from '#core/store/moveFiles.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const content = (at: number) => Buffer.alloc(20_000 + at, at)
const names = Array.from({ length: 60 }, (_, at) => `desk/metrics/d${at % 7}/${at}.parquet`)

function filledDataDir(): string {
  const dataDir = temporaryFolder()
  const { root } = openCacheFolder(dataDir)
  for (const [at, name] of names.entries()) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content(at))
  }
  return dataDir
}

const files = (dataDir: string) => join(dataDir, 'files')
const allThere = (dataDir: string) =>
  names.every(
    (name, at) =>
      existsSync(join(files(dataDir), name)) && readFileSync(join(files(dataDir), name)).equals(content(at)),
  )
const options = (dataDir: string, target: string, signal = new AbortController().signal) => ({
  dataDir,
  target,
  signal,
})

describe('moving the files', () => {
  it('brings all of them, tells how far it is, and leaves nothing behind', async () => {
    const [dataDir, target] = [filledDataDir(), join(temporaryFolder(), 'new', 'place')]
    const shares: number[] = []
    const onProgress = ({ done, total }: { done: number; total: number }) => void shares.push(done / total)
    const place = await moveFiles({ ...options(dataDir, target), onProgress })
    expect(place).toBe(join(target, 'perpscope-files'))
    expect(allThere(dataDir)).toBe(true)
    expect(shares.at(-1)).toBe(1)
    expect(readdirSync(dataDir)).toEqual(['files'])
    expect(readdirSync(target)).toEqual(['perpscope-files'])
    // A second move brings the files back.
    await moveFiles(options(dataDir, dataDir))
    expect(allThere(dataDir)).toBe(true)
    expect(readdirSync(target)).toEqual([])
  })

  it('stays where it was when it is stopped, and leaves no half copy', async () => {
    const [dataDir, target] = [filledDataDir(), temporaryFolder()]
    const controller = new AbortController()
    const onProgress = () => controller.abort()
    await expect(moveFiles({ ...options(dataDir, target, controller.signal), onProgress })).rejects.toThrow()
    expect(lstatSync(files(dataDir)).isDirectory()).toBe(true)
    expect(allThere(dataDir)).toBe(true)
    expect(readdirSync(target)).toEqual([])
  })

  it('loses nothing when it is killed half-way, and the next try takes the copy up', async () => {
    const [dataDir, target] = [filledDataDir(), temporaryFolder()]
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'moveWorker.ts'), dataDir, target])
    await once(worker.stdout, 'data')
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    openCacheFolder(dataDir)
    expect(allThere(dataDir)).toBe(true)
    await moveFiles(options(dataDir, target))
    expect(lstatSync(files(dataDir)).isSymbolicLink()).toBe(true)
    expect(allThere(dataDir)).toBe(true)
    expect(readdirSync(target)).toEqual(['perpscope-files'])
  })

  async function dieAfterCopying(dataDir: string, target: string): Promise<void> {
    const args = [join(import.meta.dirname, 'moveWorker.ts'), dataDir, target, '--die-whole']
    const [code, signal] = (await once(spawn(process.execPath, args), 'exit')) as [number | null, string | null]
    expect([code, signal]).toEqual([null, 'SIGKILL'])
    expect(readdirSync(target)).toEqual(['perpscope-files'])
    expect(lstatSync(files(dataDir)).isDirectory()).toBe(true)
  }

  it('knows its own whole copy again when it was killed before the switch, and goes on with it', async () => {
    const [dataDir, target] = [filledDataDir(), temporaryFolder()]
    await dieAfterCopying(dataDir, target)
    openCacheFolder(dataDir)
    expect(allThere(dataDir)).toBe(true)
    const copied = statSync(join(target, 'perpscope-files', names[0])).ino
    // Files that were added since the crash are moved as well.
    writeFileSync(join(files(dataDir), 'late.parquet'), 'late')
    await moveFiles(options(dataDir, target))
    expect(allThere(dataDir)).toBe(true)
    expect(readFileSync(join(files(dataDir), 'late.parquet'), 'utf8')).toBe('late')
    expect(lstatSync(files(dataDir)).isSymbolicLink()).toBe(true)
    expect(statSync(join(files(dataDir), names[0])).ino).toBe(copied)
    expect(readdirSync(dataDir)).toEqual(['files'])
  })

  it('gives the place of such a copy back when the next try goes elsewhere, and touches nobody else’s files', async () => {
    const [dataDir, target, elsewhere] = [filledDataDir(), temporaryFolder(), temporaryFolder()]
    await dieAfterCopying(dataDir, target)
    await moveFiles(options(dataDir, elsewhere))
    expect(allThere(dataDir)).toBe(true)
    expect(readdirSync(target)).toEqual([])
    const another = filledDataDir()
    await expect(moveFiles(options(another, elsewhere))).rejects.toThrow()
    expect(allThere(dataDir)).toBe(true)
  })

  it('finishes a switch that a crash cut short, and takes along what came to the old folder last', async () => {
    const [dataDir, target] = [filledDataDir(), temporaryFolder()]
    await moveFiles(options(dataDir, target))
    // A crash between the two renames leaves the old folder set aside and the link not yet in its place.
    renameSync(files(dataDir), `${files(dataDir)}.next`)
    mkdirSync(`${files(dataDir)}.old`)
    writeFileSync(join(dataDir, 'files.old', 'late.parquet'), 'late')
    openCacheFolder(dataDir)
    expect(allThere(dataDir)).toBe(true)
    await clearOldFiles(dataDir)
    expect(readFileSync(join(files(dataDir), 'late.parquet'), 'utf8')).toBe('late')
    expect(readdirSync(dataDir)).toEqual(['files'])
  })

  it('keeps the old files while the disk with the new ones is away', async () => {
    const dataDir = filledDataDir()
    renameSync(files(dataDir), join(dataDir, 'files.old'))
    symlinkSync('/nowhere/perpscope-files', files(dataDir))
    openCacheFolder(dataDir)
    await clearOldFiles(dataDir)
    expect(readdirSync(join(dataDir, 'files.old'))).toEqual(['desk'])
  })

  it('is refused with words: inside itself, over other files, onto a file, without a whole path', async () => {
    const [dataDir, target] = [filledDataDir(), temporaryFolder()]
    const refusal = (to: string) =>
      moveFiles(options(dataDir, to)).then(
        () => null,
        (error: { detail: string }) => error.detail,
      )
    expect(await refusal(join(files(dataDir), 'desk', 'x'))).toContain('inside')
    expect(await refusal('somewhere')).toContain('full path')
    mkdirSync(join(target, 'perpscope-files'))
    writeFileSync(join(target, 'perpscope-files', 'other'), '')
    expect(await refusal(target)).toContain('already contains files')
    writeFileSync(join(target, 'file'), '')
    expect(await refusal(join(target, 'file'))).toContain('a file, not a folder')
    expect(await refusal(join(target, 'file', 'below'))).toContain('a file, not a folder')
    expect(allThere(dataDir)).toBe(true)
  })
})
