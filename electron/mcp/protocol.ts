import { AppError, toAppError } from '#shared/contract/errors.ts'
import { parseBoundedJson } from '#shared/units/jsonLimits.ts'
import type { AnswerResources } from './answerResources.ts'
import { APP_TYPE, APPS_EXTENSION, PICTURE_KEY } from './chartApp.ts'
import type { AssistantTool } from './tools.ts'

/** Versions of the Model Context Protocol that begin with a handshake, newest first. */
const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** Versions without a handshake, of which each request says for itself which it is. */
const statelessVersions = ['2026-07-28']

/** Keys by which a stateless request and its result describe themselves. */
const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
} as const

/** How long a client may keep the list of tools, which never changes while the server runs. */
const LIST_KEPT_MS = 3_600_000

const errorCodes = {
  notJson: -32_700,
  notRequest: -32_600,
  noMethod: -32_601,
  badParams: -32_602,
  internal: -32_603,
  otherVersion: -32_022,
} as const

type Id = string | number

interface Message {
  id: Id | null
  method: string
  params: Record<string, unknown>
}

interface Request extends Message {
  id: Id
  /** True if the request says its version itself, so that its result describes itself too. */
  isStateless: boolean
  /** True if the client shows pages beside answers. */
  showsApps: boolean
}

interface AssistantServer {
  /** Handles one line of input; resolves when it is answered. */
  receive(line: string): Promise<void>
  /** Reports that a line was longer than the limit. */
  refuseLong(): void
  /** Cancels all running calls, because the server ends; each is answered with an error. */
  stop(): void
}

interface AssistantServerOptions {
  tools: readonly AssistantTool[]
  /** Files of long answers and pictures; without them, the server has no resources. */
  resources?: AnswerResources
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
  resources,
  version,
  instructions,
  send,
  onFault,
}: AssistantServerOptions): AssistantServer {
  const controllerById = new Map<Id, AbortController>()
  let isInitialized = false
  const serverInfo = { name: 'perpscope', title: 'Perpscope', version }
  const capabilities = {
    tools: {},
    ...(resources && { resources: {}, extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_TYPE] } } }),
  }
  let showsAppsSinceHandshake = false
  /** Lists the tools, with the pages of their answers for a client that shows them; names of before can be called too. */
  const listedFor = (showsApps: boolean) =>
    tools.flatMap(({ call: _call, app, isUnlisted, ...tool }) =>
      isUnlisted ? [] : [{ ...tool, ...(showsApps && app && { _meta: { ui: { resourceUri: app.uri } } }) }],
    )
  const fail = (id: Id | null, code: number, message: string, data?: unknown) =>
    send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }))
  /** Answers a request; the result of a stateless one says whose it is, that it is complete, and how long to keep it. */
  function reply({ id, isStateless }: Request, result: object, kept?: { ttlMs: number; cacheScope: string }): void {
    const own = { resultType: 'complete', ...kept }
    const meta = { [metaKeys.server]: serverInfo, ...('_meta' in result && (result._meta as object)) }
    send(JSON.stringify({ jsonrpc: '2.0', id, result: isStateless ? { ...own, ...result, _meta: meta } : result }))
  }

  async function callTool(request: Request): Promise<void> {
    const { id, params } = request
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
      const structuredContent = JSON.parse(text) as Record<string, unknown>
      const links = linksOf(structuredContent, resources)
      const drawn = request.showsApps ? await drawnBy(tool, params.arguments ?? {}, controller.signal) : {}
      controller.signal.throwIfAborted()
      reply(request, { content: [{ type: 'text', text }, ...links], structuredContent, ...drawn })
    } catch (thrown) {
      const { aborted, reason } = controller.signal
      // A call that the client cancelled gets no answer.
      if (aborted && reason !== serverEnds) return
      reply(request, { content: [{ type: 'text', text: errorText(aborted ? serverEnds : thrown) }], isError: true })
    } finally {
      controllerById.delete(id)
    }
  }

  /** Draws an answer for the page that shows it; an answer that cannot be drawn is an answer without a picture. */
  async function drawnBy({ app }: AssistantTool, input: unknown, signal: AbortSignal): Promise<{ _meta?: object }> {
    if (!app) return {}
    try {
      return { _meta: { [PICTURE_KEY]: await app.draw(input, signal) } }
    } catch (thrown) {
      if (toAppError(thrown).code === 'internal') onFault(thrown)
      return {}
    }
  }

  function errorText(thrown: unknown): string {
    const { code, sentence, detail } = toAppError(thrown)
    if (code === 'internal') onFault(thrown)
    return JSON.stringify({ error: { code, message: (detail ?? sentence).slice(0, 4000) } })
  }

  function readResource(request: Request): void {
    try {
      const contents = [resources?.read(String(request.params.uri))]
      reply(request, { contents }, { ttlMs: 0, cacheScope: 'private' })
    } catch (thrown) {
      const { code, sentence, detail } = toAppError(thrown)
      if (code === 'internal') onFault(thrown)
      fail(request.id, errorCodes.badParams, detail ?? sentence)
    }
  }

  /** Answers what both eras of the protocol have; returns false for any other method. */
  async function answerCommon(request: Request): Promise<boolean> {
    const { method, showsApps } = request
    if (method === 'tools/list')
      reply(request, { tools: listedFor(showsApps) }, { ttlMs: LIST_KEPT_MS, cacheScope: 'private' })
    else if (method === 'tools/call') await callTool(request)
    else if (resources && method === 'resources/list')
      reply(request, { resources: resources.list() }, { ttlMs: 0, cacheScope: 'private' })
    else if (resources && method === 'resources/read') readResource(request)
    else return false
    return true
  }

  /** Answers a request that says its version itself, and needs nothing of what came before it. */
  async function answerStateless(request: Request, requested: string): Promise<void> {
    const { id, method, params } = request
    const supported = [...statelessVersions, ...handshakeVersions]
    if (!statelessVersions.includes(requested))
      return fail(id, errorCodes.otherVersion, 'Unsupported protocol version', { supported, requested })
    if (!isObject(params._meta) || !isObject(params._meta[metaKeys.capabilities]))
      return fail(id, errorCodes.badParams, `_meta has no ${metaKeys.capabilities}.`)
    if (method === 'server/discover')
      return reply(
        request,
        { supportedVersions: supported, capabilities, instructions },
        { ttlMs: LIST_KEPT_MS, cacheScope: 'public' },
      )
    if (!(await answerCommon(request))) fail(id, errorCodes.noMethod, 'There is no such method.')
  }

  async function answer({ id, method, params }: Message): Promise<void> {
    if (method === 'notifications/cancelled') return controllerById.get(params.requestId as Id)?.abort()
    if (id === null) return
    const requested = isObject(params._meta) ? params._meta[metaKeys.version] : undefined
    const isOfHandshake = typeof requested !== 'string' || handshakeVersions.includes(requested)
    const request = { id, method, params, isStateless: !isOfHandshake, showsApps: showsAppsSinceHandshake }
    if (!isOfHandshake)
      return answerStateless({ ...request, showsApps: canShowApps(params._meta, metaKeys.capabilities) }, requested)
    if (method === 'ping') return reply(request, {})
    if (method === 'initialize') {
      isInitialized = true
      showsAppsSinceHandshake = canShowApps(params, 'capabilities')
      const protocolVersion = handshakeVersions.find((each) => each === params.protocolVersion) ?? handshakeVersions[0]
      return reply(request, { protocolVersion, capabilities, serverInfo, instructions })
    }
    if (!isInitialized) return fail(id, errorCodes.notRequest, 'Send initialize first.')
    if (!(await answerCommon(request))) fail(id, errorCodes.noMethod, 'There is no such method.')
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

/** Links the file of a long answer, or of a picture, as a resource that the client may read. */
function linksOf({ cut, data }: Record<string, unknown>, resources: AnswerResources | undefined): object[] {
  const paths = [isObject(cut) ? cut.file : null, isObject(data) ? data.picture : null]
  return paths.flatMap((path) => {
    const found = typeof path === 'string' ? resources?.at(path) : null
    return found ? [{ type: 'resource_link', ...found }] : []
  })
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Tells whether a client says among its capabilities that it shows pages beside answers. */
function canShowApps(holder: unknown, key: string): boolean {
  const within = (value: unknown, name: string) => (isObject(value) ? value[name] : undefined)
  const types = within(within(within(within(holder, key), 'extensions'), APPS_EXTENSION), 'mimeTypes')
  return Array.isArray(types) && types.includes(APP_TYPE)
}

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
