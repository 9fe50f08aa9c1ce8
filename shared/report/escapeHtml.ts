const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const unescapes = new Map(Object.entries(escapes).map(([sign, escape]) => [escape, sign]))

/**
 * Escapes text for the content and quoted attributes of a report; every text that a report shows passes through it.
 * Control characters, bidirectional marks and unpaired surrogates are replaced, because they could make a page appear
 * to say something else.
 */
export const escapeHtml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"']/g, (character) => escapes[character])

/** Decodes text that `escapeHtml` encoded. */
export const unescapeHtml = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (escape) => unescapes.get(escape) ?? escape)

/** Writes a value as JSON that cannot close the script element that contains it. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
