import { AppError, toAppError } from '#shared/contract/errors.ts'
import { parseBoundedJson } from '#shared/units/jsonLimits.ts'
import type { AssistantTool } from './tools.ts'

/** Supported versions of the Model Context Protocol, newest first. */
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

const errorCodes = {
  notJson: -32_700,
  notRequest: -32_600,
  noMethod: -32_601,
  badParams: -32_602,
  internal: -32_603,
} as const

type Id = string | number

interface Message {
  id: Id | null
  method: string
  params: Record<string, unknown>
}

export interface AssistantServer {
  /** Handles one line of input; resolves when it is answered. */
  receive(line: string): Promise<void>
  /** Reports that a line was longer than the limit. */
  refuseLong(): void
  /** Cancels all running calls, because the server ends; each is answered with an error. */
  stop(): void
}

export interface AssistantServerOptions {
  tools: readonly AssistantTool[]
  version: string
  instructions: string
  /** Sends one message, which must not contain a line feed. */
  send(message: string): void
  /** Called with internal errors. */
  onFault(thrown: unknown): void
}

/** Maximum number of calls that run at a time; further ones are refused, because each may read many files. */
const MOST_RUNNING_CALLS = 8

/** Reason of the calls that the server stops when it ends. */
const serverEnds = new AppError('cancelled', 'The call was stopped, because the server ends.')

/** Creates a server of the Model Context Protocol on any line-based transport. */
export function createAssistantServer({
  tools,
  version,
  instructions,
  send,
  onFault,
}: AssistantServerOptions): AssistantServer {
  const controllerById = new Map<Id, AbortController>()
  let isInitialized = false
  const reply = (id: Id, result: unknown) => send(JSON.stringify({ jsonrpc: '2.0', id, result }))
  const fail = (id: Id | null, code: number, message: string) =>
    send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }))

  async function callTool(id: Id, params: Record<string, unknown>): Promise<void> {
    const tool = tools.find(({ name }) => name === params.name)
    if (!tool) return fail(id, errorCodes.badParams, 'There is no such tool.')
    if (controllerById.has(id)) return fail(id, errorCodes.notRequest, 'A request with this id is already running.')
    if (controllerById.size >= MOST_RUNNING_CALLS)
      return fail(id, errorCodes.internal, 'Too many calls are running; wait for one to finish.')
    const controller = new AbortController()
    controllerById.set(id, controller)
    try {
      const text = await tool.call(params.arguments ?? {}, controller.signal)
      controller.signal.throwIfAborted()
      reply(id, { content: [{ type: 'text', text }] })
    } catch (thrown) {
      const { aborted, reason } = controller.signal
      // A call that the client cancelled gets no answer.
      if (aborted && reason !== serverEnds) return
      reply(id, { content: [{ type: 'text', text: errorText(aborted ? serverEnds : thrown) }], isError: true })
    } finally {
      controllerById.delete(id)
    }
  }

  function errorText(thrown: unknown): string {
    const { code, sentence, detail } = toAppError(thrown)
    if (code === 'internal') onFault(thrown)
    return JSON.stringify({ error: { code, message: (detail ?? sentence).slice(0, 4000) } })
  }

  async function answer({ id, method, params }: Message): Promise<void> {
    if (method === 'notifications/cancelled') return controllerById.get(params.requestId as Id)?.abort()
    if (id === null) return
    if (method === 'ping') return reply(id, {})
    if (method === 'initialize') {
      isInitialized = true
      const protocolVersion = versions.find((version) => version === params.protocolVersion) ?? versions[0]
      return reply(id, {
        protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'perpscope', title: 'Perpscope', version },
        instructions,
      })
    }
    if (!isInitialized) return fail(id, errorCodes.notRequest, 'Send initialize first.')
    if (method === 'tools/list') return reply(id, { tools: tools.map(({ call: _call, ...tool }) => tool) })
    if (method === 'tools/call') return callTool(id, params)
    fail(id, errorCodes.noMethod, 'There is no such method.')
  }

  /** Answers a message; an internal error affects only this message. */
  async function answerOrFail(message: Message): Promise<void> {
    try {
      await answer(message)
    } catch (thrown) {
      onFault(thrown)
      if (message.id !== null) fail(message.id, errorCodes.internal, 'Internal error.')
    }
  }

  return {
    receive(line) {
      let parsed: unknown
      try {
        parsed = parseBoundedJson(line)
      } catch {
        fail(null, errorCodes.notJson, 'The message is not JSON.')
        return Promise.resolve()
      }
      if (isAnswer(parsed)) return Promise.resolve()
      const message = messageOf(parsed)
      if (message) return answerOrFail(message)
      fail(null, errorCodes.notRequest, 'The message is not a JSON-RPC 2.0 request.')
      return Promise.resolve()
    },
    refuseLong: () => fail(null, errorCodes.notRequest, 'The message is larger than 1 MB.'),
    stop() {
      for (const each of controllerById.values()) each.abort(serverEnds)
    },
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether a value is a number that can be sent back as JSON; 1e999, for example, is read as infinity. */
const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Recognises answers from the client, which are ignored because the server sends no requests. */
const isAnswer = (value: unknown): boolean =>
  isObject(value) && !('method' in value) && ('result' in value || 'error' in value)

function messageOf(value: unknown): Message | null {
  if (!isObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return null
  const { id = null, params = {} } = value
  if ((id !== null && typeof id !== 'string' && !isFiniteNumber(id)) || !isObject(params)) return null
  return { id, method: value.method, params }
}
