/** Cuts text to a number of UTF-16 units without splitting a surrogate pair. */
export function cutText(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength)
  return cut.isWellFormed() || !text.isWellFormed() ? cut.toWellFormed() : cut.slice(0, -1)
}

/** Characters that are invisible or change the direction of text; joiners stay, because scripts and emoji need them. */
const invisiblePattern = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Turns any text into one line of visible text. */
export const singleLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(invisiblePattern, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()

/** Maximum length of the name of a document. */
export const MOST_NAME_LENGTH = 120

/** Turns any text into the name of a document: one line of visible text with at most `most` UTF-16 units. */
export const documentName = (text: string, most: number): string => cutText(singleLine(text), most).trim()

/** Maximum length of a file name; systems allow 255 bytes, and a UTF-16 unit takes up to three. */
export const LONGEST_FILE_NAME = 84
const reservedPattern = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(\.|$)/i

/**
 * Turns any text into a file name that is valid on every system, stays in its folder and is shown as it is: no
 * separators, control or bidirectional characters, Windows device names or unpaired surrogates. The extension is kept.
 */
export function safeFileName(name: string, fallback = 'file'): string {
  const plain = name
    .toWellFormed()
    .normalize('NFC')
    .replace(invisiblePattern, '')
    .replace(/[\p{Cc}<>:"/\\|?*\ufffd]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
  const usable = reservedPattern.test(plain) ? `_${plain}` : plain
  if (usable.length <= LONGEST_FILE_NAME) return usable || fallback
  const ending = /\.[^.]{1,20}$/.exec(usable)?.[0] ?? ''
  return (
    cutText(usable.slice(0, usable.length - ending.length), LONGEST_FILE_NAME - ending.length).replace(/[. ]+$/, '') +
    ending
  )
}

/**
 * Turns any text into a file name with this ending. If the name would be too long, the text is cut and not the ending.
 */
export const fileNameWithEnding = (text: string, ending: string): string =>
  safeFileName(cutText(text.normalize('NFC'), LONGEST_FILE_NAME - 1 - ending.length) + ending)
