/** A piece of a text: plain words, code, or a link to a screen. */
export interface InlinePart {
  kind: 'text' | 'code' | 'link'
  message: string
  /** Address of a link. */
  address?: string
}

/** Splits a text of the guide at its marks. */
export function inlineParts(text: string): InlinePart[] {
  return text
    .split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (piece.startsWith('`') && piece.endsWith('`')) return { kind: 'code', message: piece.slice(1, -1) }
      const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(piece)
      return link ? { kind: 'link', message: link[1], address: link[2] } : { kind: 'text', message: piece }
    })
}
