import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { artifactsDir } from '../e2e/harness.ts'
import { compare, readPng, sideBySide, writePalettePng } from './comparison.ts'

export const referenceDir = join(import.meta.dirname, 'reference')
const changesDir = join(artifactsDir, 'pictures')

const fileOf = (name: string) => join(referenceDir, `${name}.png`)
const count = (value: number) => value.toLocaleString('en')

export const hasReference = (name: string): boolean => existsSync(fileOf(name))

/** Returns the names of references that no scene uses any more. */
export function leftoverNames(names: readonly string[]): string[] {
  const files = existsSync(referenceDir) ? readdirSync(referenceDir) : []
  return files
    .filter((file) => file.endsWith('.png') && !names.includes(file.slice(0, -4)))
    .map((file) => file.slice(0, -4))
}

export const removeReference = (name: string): void => rmSync(fileOf(name))

/** Writes a reference with a palette, unless the picture has so many colours that it would differ from itself. */
export function writeReference(name: string, png: Uint8Array): void {
  mkdirSync(referenceDir, { recursive: true })
  const picture = readPng(png)
  const reduced = writePalettePng(picture)
  writeFileSync(fileOf(name), compare(readPng(reduced), picture).isChanged ? png : reduced)
}

export function clearChanges(): void {
  rmSync(changesDir, { recursive: true, force: true })
}

/**
 * Returns a line that describes the difference between a picture and its reference, or an empty text if there is none.
 */
export function differenceFrom(name: string, png: Uint8Array): string {
  if (!hasReference(name)) return 'has no reference'
  const reference = readPng(readFileSync(fileOf(name)))
  const actual = readPng(png)
  const { isChanged, pixels, box } = compare(reference, actual)
  if (!isChanged) return ''
  if (reference.width !== actual.width || reference.height !== actual.height)
    return `is ${actual.width} × ${actual.height} instead of ${reference.width} × ${reference.height}`
  const share = ((100 * pixels) / (actual.width * actual.height)).toFixed(2)
  const place = box && `between (${box.left}, ${box.top}) and (${box.right}, ${box.bottom})`
  return `${count(pixels)} pixels differ (${share} %), ${place}`
}

/** Writes the actual picture for a person to look at, between its reference and the marked difference if it has one. */
export function showChange(name: string, png: Uint8Array): void {
  const actual = readPng(png)
  const reference = hasReference(name) ? readPng(readFileSync(fileOf(name))) : null
  const shown = reference ? [reference, actual, compare(reference, actual).marked] : [actual]
  mkdirSync(changesDir, { recursive: true })
  writeFileSync(join(changesDir, `${name}.png`), writePalettePng(sideBySide(shown)))
}
