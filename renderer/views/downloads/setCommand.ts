/** The line for a shell that brings a set up to date; quoted so that a name is nothing but a name. */
export const setCommand = (name: string, connection: string | null) =>
  [
    'perpscope',
    ...(connection === null ? [] : ['--connection', quoted(connection)]),
    'fetch',
    '--set',
    quoted(name),
  ].join(' ')

const quoted = (text: string) => (/^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
