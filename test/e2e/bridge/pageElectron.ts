/**
 * This script replaces Electron in a page of Chromium and runs before the page's own scripts; the built preload runs on
 * it unchanged. Values between preload and page are copied as Electron's context bridge copies them, and a socket
 * replaces the channel to the main process. Chromium's own `structuredClone` refuses what the real bridge refuses:
 * proxies, symbols and detached memory.
 */
import { decodeWire, encodeWire } from '#shared/contract/wire.ts'

type Listener = (event: object, ...values: unknown[]) => void
type Callable = (...input: unknown[]) => unknown

declare global {
  interface Window {
    fakeElectron?: object
  }
}

const freeze = <T extends object>(value: T): T => Object.freeze(value)

/** Copies a value that the preload passes to the page; functions and promises in the copy still work. */
function toPage(value: unknown): unknown {
  if (typeof value === 'function') {
    const call = value as Callable
    return (...input: unknown[]) => toPage(call(...input.map(toPreload)))
  }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Promise) return value.then(toPage)
  if (value instanceof Error) return new Error(value.message)
  if (Array.isArray(value)) return freeze(value.map(toPage))
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value)
  return freeze(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPage(item)])))
}

/**
 * Copies an argument that the page passes to the preload. An argument may be a function, but a value in an argument may
 * not.
 */
function toPreload(value: unknown): unknown {
  if (typeof value !== 'function') return structuredClone(value)
  const call = value as Callable
  return (...input: unknown[]) => void call(...input.map(toPage))
}

/** Opens the channel to the fake main process; messages sent before it is open are queued. */
function openLine() {
  // The window's name outlives a reload, as the web contents of an Electron window do.
  window.name ||= crypto.randomUUID()
  const socket = new WebSocket(`ws://${location.host}/ipc?window=${window.name}`)
  socket.binaryType = 'arraybuffer'
  const listeners = new Map<string, Listener[]>()
  const waiting: Uint8Array<ArrayBuffer>[] = []
  socket.onopen = () => waiting.splice(0).forEach((bytes) => socket.send(bytes))
  socket.onmessage = ({ data }) => {
    const [channel, ...values] = decodeWire(new Uint8Array(data as ArrayBuffer)) as [string, ...unknown[]]
    for (const listener of listeners.get(channel) ?? []) listener({}, ...values)
  }
  return {
    send(channel: string, ...values: unknown[]) {
      const bytes = encodeWire([channel, ...structuredClone(values)])
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes)
      else waiting.push(bytes)
    },
    on: (channel: string, listener: Listener) =>
      void listeners.set(channel, [...(listeners.get(channel) ?? []), listener]),
  }
}

window.fakeElectron = {
  ipcRenderer: openLine(),
  contextBridge: {
    exposeInMainWorld: (name: string, api: unknown) =>
      void Object.defineProperty(window, name, { value: toPage(api), configurable: false, writable: false }),
  },
  // Chromium does not tell a page the path of a dropped file.
  webUtils: { getPathForFile: () => '' },
}
