import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const shape = /^perpscope-sandbox-(\d+)-/

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    // Somebody else's process is one that runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Creates a new folder for generated files. Those of sandboxes that were killed before they could remove theirs go now.
 */
export function createMadeFolder(parentFolder: string): string {
  mkdirSync(parentFolder, { recursive: true })
  for (const name of readdirSync(parentFolder)) {
    const owner = shape.exec(name)?.[1]
    if (owner && !isRunning(Number(owner))) rmSync(join(parentFolder, name), { recursive: true, force: true })
  }
  return mkdtempSync(join(parentFolder, `perpscope-sandbox-${process.pid}-`))
}
