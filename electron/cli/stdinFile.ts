import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Action, OptionSpec } from './command.ts'
import { openStdin, type CommandInput } from './stdin.ts'
import { chooseText as text } from './text/terminalTexts.ts'
import { UsageError } from './usageError.ts'

type Options = Record<string, boolean | string | number | string[] | undefined>

const STDIN = '-'

const written = new Set<string>()

/** Tells whether a path is that of a file written from standard input, which is gone after the command. */
export const isFromStdin = (path: string): boolean => written.has(path)

/** Endings by the first bytes of a file, for readers that tell a format by the name. */
const endings: readonly [start: RegExp, ending: string][] = [
  [/^PAR1/, '.parquet'],
  [/^\s*[[{]/, '.json'],
  [/^\s*</, '.html'],
  [/^\x1f\x8b/, '.gz'],
]

/**
 * Writes standard input to a temporary file where a file is given as `-`, and puts the file's path in its place.
 * @returns the path of the file, null if standard input was not read, and a function that removes the file
 */
export async function readStdinFiles(
  { options, args }: { options: Options; args: string[] },
  action: Action,
  { signal, open = openStdin }: { signal: AbortSignal; open?: (() => CommandInput) | undefined },
): Promise<{ path: string | null; remove: () => Promise<void> }> {
  const places = placesOf(options, args, action)
  if (places.length === 0) return { path: null, remove: async () => {} }
  if (places.length > 1) throw new UsageError(text.stdinTwice)
  const folder = await mkdtemp(join(tmpdir(), 'perpscope-stdin-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const plain = join(folder, 'stdin')
    await pipeline(open(), createWriteStream(plain, { mode: 0o600 }), { signal })
    const path = plain + (await endingOf(plain))
    await rename(plain, path)
    written.add(path)
    places[0](path)
    return { path, remove }
  } catch (thrown) {
    await remove()
    throw thrown
  }
}

/** Lists where `-` stands for a file, each as a function that puts a path there. */
function placesOf(options: Options, args: string[], action: Action): ((path: string) => void)[] {
  const ofOptions = Object.entries<OptionSpec>(action.options ?? {}).flatMap(([name, spec]) => {
    if (spec.type !== 'path' || options[name] !== STDIN) return []
    if (!spec.reads) throw new UsageError(text.notStdin(`--${name}`))
    return [(path: string) => (options[name] = path)]
  })
  const { attach } = options
  const ofAttached = (Array.isArray(attach) ? attach : []).flatMap((each, at, all) =>
    each.endsWith(`=${STDIN}`) ? [(path: string) => (all[at] = each.slice(0, -STDIN.length) + path)] : [],
  )
  const specs = action.args ?? []
  const ofArguments = args.flatMap((each, at) => {
    const spec = specs.at(Math.min(at, specs.length - 1))
    if (each !== STDIN || !spec?.path) return []
    if (!spec.reads) throw new UsageError(text.notStdin(spec.name))
    return [(path: string) => (args[at] = path)]
  })
  return [...ofOptions, ...ofAttached, ...ofArguments]
}

async function endingOf(path: string): Promise<string> {
  let head = ''
  for await (const bytes of createReadStream(path, { end: 63, encoding: 'latin1' })) head += String(bytes)
  return endings.find(([start]) => start.test(head))?.[1] ?? '.csv'
}
