import { failureText, resultText, usageText } from '../text/messages.ts'
import { keyText as text } from '../text/commands.ts'
import type { KeyStatus, ServiceName } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { action, exit, type CliCommand, type ExitStatus } from '../command.ts'
import type { Output } from '../print.ts'
import { findConnectionWithKeys } from '../connections.ts'
import { Failure } from '../failure.ts'
import { readSecretLine } from '../readSecret.ts'
import { UsageError } from '../usageError.ts'
import { API_KEY_VARIABLES, keyStatusText } from './connection.ts'

const nameArguments = [{ name: 'NAME', description: text.args.NAME }] as const
const options = {
  service: {
    type: 'text',
    value: 'SERVICE',
    values: ['metrics', 'portfolio', 'engine', 'store'],
    description: text.options.service,
  },
} as const

const variableByService: Readonly<Record<ServiceName, string>> = {
  metrics: API_KEY_VARIABLES,
  portfolio: 'PERPSCOPE_PORTFOLIO_KEY or PERPSCOPE_API_KEY_FILE',
  engine: 'PERPSCOPE_ENGINE_PASSWORD',
  store: 'PERPSCOPE_STORE_KEY',
}
const variableOf = (service: ServiceName) => variableByService[service]

async function targetOf(core: Client, name: string, service: ServiceName = 'metrics') {
  const connection = await findConnectionWithKeys(core, name)
  return { connection, service, connectionId: connection.id }
}

function printStatus(out: Output, connection: string, service: ServiceName, status: KeyStatus): ExitStatus {
  out.result({ connection, service, ...status }, () => [
    resultText.keyStatus(connection, service, keyStatusText(status, variableOf(service))),
  ])
  if (status.unreadable === undefined) return exit.done
  out.problem(status.unreadable)
  return exit.failed
}

const set = action({
  name: 'set',
  summary: text.set.summary,
  args: nameArguments,
  options,
  async run({ client, args: [name], options: { service: wanted }, out, signal }) {
    const core = await client()
    const { connectionId, service } = await targetOf(core, name, wanted)
    const vault = await core.call('vault.status', { probeAgain: true })
    if (!vault.available) throw new Failure(failureText.keyNotStored(vault.message, variableOf(service)))
    const key = (await readSecretLine(resultText.keyPrompt(name, service), signal))?.trim()
    if (signal.aborted) return exit.interrupted
    if (!key) throw new UsageError(usageText.noKeyOnStdin)
    const status = await core.call('keys.set', { connectionId, service, key }).catch((thrown: unknown) => {
      // An error about invalid input may quote the input, and a key must never be shown.
      if (thrown instanceof AppError && thrown.code === 'bad-input')
        throw new UsageError(service === 'store' ? usageText.notStoreKey : usageText.notKey)
      throw thrown
    })
    if (status.kept !== 'keychain' && status.kept !== 'encrypted-file')
      throw new Failure(failureText.keyNotStored(null, variableOf(service)))
    return printStatus(out, name, service, status)
  },
})

type Target = Awaited<ReturnType<typeof targetOf>>

/** Creates an action that removes or inspects a key and then prints whether the key is set. */
const statusAction = (
  name: 'remove' | 'status',
  keyStatusOf: (core: Client, target: Target) => Promise<KeyStatus> | KeyStatus,
) =>
  action({
    name,
    summary: text[name].summary,
    args: nameArguments,
    options,
    readsOnly: name === 'status',
    async run({ client, args: [connection], options: { service: wanted }, out }) {
      const core = await client()
      const target = await targetOf(core, connection, wanted)
      return printStatus(out, connection, target.service, await keyStatusOf(core, target))
    },
  })

const remove = statusAction('remove', (core, { connectionId, service }) =>
  core.call('keys.remove', { connectionId, service }),
)
const KEY_NOT_SET: KeyStatus = { set: false, ending: null, kept: null }

const status = statusAction('status', async (core, { connection, service }) => {
  if (service !== 'engine') return connection.keys[service] ?? KEY_NOT_SET
  return (await core.call('connections.engine', { id: connection.id }))?.password ?? KEY_NOT_SET
})

export const command: CliCommand = {
  verb: 'key',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope key set desk < key.txt',
    'perpscope key status desk --service portfolio',
    'perpscope key set desk --service store',
  ],
  actions: [set, remove, status],
}
