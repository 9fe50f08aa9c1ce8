import { RequestError } from './httpErrors.ts'

const stringOrBareWord = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g

/** JSON as services really send it: `NaN` and `Infinity`, which some write, are read as null. */
export function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    try {
      return JSON.parse(text.replace(stringOrBareWord, (token) => (token.startsWith('"') ? token : 'null'))) as unknown
    } catch {
      const start = text.slice(0, 60).replace(/\s+/g, ' ').trim()
      throw new RequestError(
        'bad-answer',
        `GET ${address}: not JSON${start ? `, it begins with “${start}”` : ', it is empty'}`,
      )
    }
  }
}
