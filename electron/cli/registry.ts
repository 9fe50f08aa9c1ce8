import { commandLines } from '#shared/contract/commandLines.ts'
import type { CliCommand } from './command.ts'

/**
 * The commands. To add one:
 *   1. write `commands/<verb>.ts` that exports `command: Command`; each action's arguments and options are data
 *      (see command.ts), from which parsing, `--help` and shell completion are made, and `run` gets them typed;
 *   2. in `run`, open the core with `await invocation.client()` and call it; print results with `out.result` or
 *      `out.record` (stdout), everything else with `out.note` or `out.progress` (stderr); pass `signal` on; return an
 *      `exit` status; throw a Failure (status 1) or UsageError (status 2) with one sentence, let AppErrors pass;
 *      An option may say `symbols` (short names are resolved), `fromConnection` (the connection may have a default) or
 *      `reads` (`-` is standard input); an action says with `missing` what else its options need, and with `readsOnly`
 *      that it works in a data folder that can only be read;
 *   3. add its line to `shared/contract/commandLines.ts`, which the guide shows. A command's file is imported only for
 *      the command itself, the program's help and completion, so it may import what is slow to load.
 */
export const registry: Readonly<Record<string, () => Promise<{ command: CliCommand }>>> = Object.fromEntries(
  Object.keys(commandLines).map((verb) => [verb, () => load(verb)]),
)

/** The file of `self-check` is `selfCheck.ts`. The pattern stays a literal, from which the build finds the files. */
function load(verb: string): Promise<{ command: CliCommand }> {
  const name = verb.replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase())
  return import(`./commands/${name}.ts`) as Promise<{ command: CliCommand }>
}

export async function allCommands(): Promise<CliCommand[]> {
  const modules = await Promise.all(Object.values(registry).map((open) => open()))
  return modules.map(({ command }) => command)
}
