import stored from './schemas/resultSchemas.json' with { type: 'json' }

type JsonSchema = Readonly<Record<string, unknown>>

const { version, commands, definitions } = stored as unknown as {
  version: number
  commands: Readonly<Record<string, JsonSchema>>
  definitions: Readonly<Record<string, JsonSchema>>
}

/** Names of the commands that print JSON, such as `study list`. */
export const describedCommands: readonly string[] = Object.keys(commands)

/** Describes in JSON Schema what a command prints with `--json`; null if it prints none. */
export function resultSchema(command: string): JsonSchema | null {
  if (!Object.hasOwn(commands, command)) return null
  const schema = commands[command]
  const used = usedDefinitions(schema)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `perpscope:${command.replaceAll(' ', '/')}?version=${version}`,
    title: `perpscope ${command} --json`,
    version,
    ...schema,
    ...(used.length > 0 && { $defs: Object.fromEntries(used.map((name) => [name, definitions[name]])) }),
  }
}

const reference = /"#\/\$defs\/([^"]+)"/g

/** Lists the definitions that a schema needs, those that these need included. */
function usedDefinitions(schema: JsonSchema): string[] {
  const used = new Set<string>()
  const visit = (part: JsonSchema) => {
    for (const [, name] of JSON.stringify(part).matchAll(reference)) {
      if (used.has(name)) continue
      used.add(name)
      visit(definitions[name])
    }
  }
  visit(schema)
  return [...used].sort()
}
