import { usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

/**
 * Splits a command into arguments at spaces outside quotes, because it runs without a shell. A backslash outside quotes
 * escapes any character, inside double quotes only `"` and `\`. Arguments that only a shell understands, such as `|` or
 * `$(…)`, are refused.
 */
export function splitCommand(command: string, option: string): string[] {
  const tokens: string[] = []
  const pattern = /\s*((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+)/gsy
  let endOfToken = 0
  for (let match = pattern.exec(command); match; match = pattern.exec(command)) {
    const [, typed] = match
    endOfToken = pattern.lastIndex
    if (/^(\|\|?|&&?|;|[12]?>>?|<)$|^\$\(|^`/.test(typed))
      throw new UsageError(usageText.commandIsNoShell(option, typed))
    tokens.push(
      typed.replace(
        /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
        (_, single?: string, double?: string, escaped?: string) =>
          single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '',
      ),
    )
  }
  if (command.slice(endOfToken).trim() !== '') throw new UsageError(usageText.quoteOpen(option))
  if (tokens.length === 0) throw new UsageError(usageText.commandEmpty(option))
  return tokens
}
