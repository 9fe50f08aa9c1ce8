/**
 * Control characters of terminals (C0, DEL, C1) except tab and line feed, and bidirectional or invisible characters.
 */
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/**
 * Sanitises text for a terminal or log, because a name from a service or file must not control the terminal or look
 * like something else.
 */
export const terminalText = (text: string): string => text.toWellFormed().replace(unprintable, '�')

/** Matches most texts, which a terminal shows as they are. */
export const plainAscii = /^[\x20-\x7e]*$/

/** Sanitises text for one field of a line, so that no name can look like a line of its own. */
export const terminalCell = (text: string): string =>
  plainAscii.test(text) ? text : terminalText(text).replace(/[\t\n]/g, '�')
