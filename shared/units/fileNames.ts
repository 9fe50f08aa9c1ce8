/** Cuts text to so many UTF-16 units without leaving half a character. */
export function cutText(text: string, most: number): string {
  const cut = text.slice(0, most)
  return cut.isWellFormed() || !text.isWellFormed() ? cut.toWellFormed() : cut.slice(0, -1)
}

/** Longest name that we give a file; systems allow 255 bytes, and a character takes up to three. */
const MAX_LENGTH = 80
const reserved = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)(\.|$)/i

/**
 * Turns any text into the name of a file that is legal on every system, stays in its folder and reads as it is: no
 * separators, no control or direction characters, no device of Windows, no half character. The ending is kept.
 */
export function safeFileName(name: string, fallback = 'file'): string {
  const plain = name
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/[\p{Cc}<>:"/\\|?*\ufffd]/gu, '_')
    .replace(/^[. ]+|[. ]+$/g, '')
  const usable = reserved.test(plain) ? `_${plain}` : plain
  if (usable.length <= MAX_LENGTH) return usable || fallback
  const ending = /\.[^.]{1,20}$/.exec(usable)?.[0] ?? ''
  return (
    cutText(usable.slice(0, usable.length - ending.length), MAX_LENGTH - ending.length).replace(/[. ]+$/, '') + ending
  )
}
