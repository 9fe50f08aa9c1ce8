import { AppError } from '#shared/contract/errors.ts'
import type { Channel, FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import { createWireJoiner, decodeWire, encodeWire } from '#shared/contract/wire.ts'
import type { ChannelState } from './host.ts'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5000

interface SocketChannel extends Channel<FromWindow, ToWindow> {
  state(): ChannelState
  onState(listener: (state: ChannelState) => void): () => void
  /** Resolves on the first connection; rejects if the host refuses. */
  ready: Promise<void>
}

/** Opens a channel over a WebSocket that reconnects after the host restarts or the machine sleeps. */
export function openSocketChannel(address: string, token: string): SocketChannel {
  let socket: WebSocket
  let state: ChannelState = 'connecting'
  let waitMs = FIRST_WAIT_MS
  let mayBeRefused = false
  const messageListeners = new Set<(message: ToWindow) => void>()
  const closeListeners = new Set<() => void>()
  const stateListeners = new Set<(state: ChannelState) => void>()
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()

  const setState = (next: ChannelState) => {
    if (next === state) return
    state = next
    for (const listener of stateListeners) listener(next)
  }

  function connect(): void {
    let wasOpen = false
    const join = createWireJoiner()
    socket = new WebSocket(address, ['perpscope', token])
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      wasOpen = true
      waitMs = FIRST_WAIT_MS
      mayBeRefused = false
      setState('connected')
      resolve()
    }
    socket.onmessage = ({ data }) => {
      const bytes = join(new Uint8Array(data as ArrayBuffer))
      if (!bytes) return
      const message = decodeWire(bytes) as ToWindow
      for (const listener of messageListeners) listener(message)
    }
    socket.onclose = () => {
      for (const listener of closeListeners) listener()
      void reconnect(wasOpen)
    }
  }

  /**
   * Connects again after the socket has closed. If the host serves pages but refuses this socket twice, it was
   * restarted with another token, so the channel gives up. A single refusal may only mean that the host came back
   * between the two requests.
   */
  async function reconnect(wasOpen: boolean): Promise<void> {
    const isServing = !wasOpen && (await servesPages())
    if (isServing && mayBeRefused) {
      setState('refused')
      return reject(new AppError('unauthorized'))
    }
    mayBeRefused = isServing
    if (isServing) return connect()
    setState('lost')
    setTimeout(connect, waitMs)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }

  connect()
  return {
    ready,
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) throw new AppError('disconnected')
      socket.send(encodeWire(message))
    },
    onMessage: (listener) => void messageListeners.add(listener),
    onClose: (listener) => void closeListeners.add(listener),
    state: () => state,
    onState(listener) {
      stateListeners.add(listener)
      return () => stateListeners.delete(listener)
    },
  }
}

/** Tells whether the host serves pages. */
function servesPages(): Promise<boolean> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('HEAD', '/')
    request.onload = () => resolve(request.status === 200)
    request.onerror = () => resolve(false)
    request.send()
  })
}
