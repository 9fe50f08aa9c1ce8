const LONGEST = 100
const KEPT = 60

const startOf = (text: string) => `${[...text].slice(0, KEPT).join('')}…`

/**
 * Cuts what a message repeats of what was typed: names in quotes and words of more than 100 characters, of which the
 * start is enough to find them. Parts of a path count as words of their own.
 */
export const cutWords = (message: string): string =>
  message.length <= LONGEST
    ? message
    : message
        .replace(
          /(["“'])([^"“”'\n]{101,})(["”'])/gu,
          (_, open: string, name: string, close: string) => open + startOf(name) + close,
        )
        .replace(/[^\s/\\]{101,}/gu, (word) => startOf(word) + (/[^\p{L}\p{N}]{0,3}$/u.exec(word)?.[0] ?? ''))
