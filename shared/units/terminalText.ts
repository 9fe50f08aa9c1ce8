/** Characters that drive a terminal (C0, DEL, C1) except tab and line feed, and those that turn the direction of text or hide it. */
const unprintable =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Text for a terminal or a log: a name that came from a service or a file must not drive it or read as something else. */
export const terminalText = (text: string): string => text.toWellFormed().replace(unprintable, '�')

/** Text for one place of a line, so that no name can pass for a line of its own. */
export const terminalCell = (text: string): string => terminalText(text).replace(/[\t\n]/g, '�')
