import type { PathSink } from '../charts/geometry.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What XML cannot hold at all (control characters, lone halves of surrogates) is left out. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r -\ud7ff\ue000-\ufffc\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"]/g, (sign) => escapes[sign])

/** Hundredths of a pixel are enough for any printer. */
const short = (value: number) => String(Math.round(value * 100) / 100)

type Attributes = Record<string, string | number | undefined>

export function element(name: string, attributes: Attributes, inside = ''): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escaped(value!)}"`)
    .join('')
  return inside ? `<${name}${written}>${inside}</${name}>` : `<${name}${written}/>`
}

export const textElement = (text: string, attributes: Attributes): string => element('text', attributes, escaped(text))

/** Gathers what is drawn as the `d` of a path. */
export class SvgPath implements PathSink {
  #parts: string[] = []

  moveTo(x: number, y: number): void {
    this.#parts.push(`M${short(x)} ${short(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.#parts.push(`L${short(x)} ${short(y)}`)
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#parts.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`)
  }

  /** The path's element; nothing where nothing was drawn. */
  element(attributes: Attributes): string {
    return this.#parts.length === 0 ? '' : element('path', { ...attributes, d: this.#parts.join('') })
  }
}
