/** Replaces the comments of a JSON text, from `//` to the end of a line, by blanks, so that places in it stay the same. */
export const withoutComments = (text: string): string =>
  text.includes('//')
    ? text.replace(stringOrComment, (found) => (found.startsWith('"') ? found : ' '.repeat(found.length)))
    : text

const stringOrComment = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n\r]*/g
