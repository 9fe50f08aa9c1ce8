import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'

/** Fake page that keeps copies of the messages sent to it, as a process boundary would copy them. */
export class FakeWebContents extends EventEmitter {
  mainFrame = { url: '', parent: null }
  readonly sent: { channel: string; page: number; message: unknown }[] = []
  zoom = 1
  loading = true
  destroyed = false
  reloads = 0
  crashes = 0
  openHandler: ((details: { url: string }) => { action: string }) | null = null

  getURL = () => this.mainFrame.url
  isLoading = () => this.loading
  isDestroyed = () => this.destroyed
  reload = () => void this.reloads++
  forcefullyCrashRenderer = () => void this.crashes++
  setZoomFactor = (factor: number) => void (this.zoom = factor)
  setWindowOpenHandler = (handler: typeof this.openHandler) => void (this.openHandler = handler)
  send(channel: string, page: number, message: unknown) {
    const copy = structuredClone(message)
    this.sent.push({ channel, page, message: copy })
    this.emit('fake:sent', channel, page, copy)
  }
}

export class FakeWindow extends EventEmitter {
  static open: FakeWindow[] = []
  static onCreated: (window: FakeWindow) => void = () => {}
  static onAllClosed: () => void = () => {}
  static fromWebContents = (contents: FakeWebContents) =>
    FakeWindow.open.find((window) => window.webContents === contents) ?? null

  readonly webContents = new FakeWebContents()
  readonly options: Electron.BrowserWindowConstructorOptions
  bounds: Electron.Rectangle
  loaded: string[] = []
  shown = false
  focused = 0
  maximized = false
  minimized = false
  progress = -1

  constructor(options: Electron.BrowserWindowConstructorOptions) {
    super()
    this.options = options
    this.bounds = { x: options.x ?? 10, y: options.y ?? 20, width: options.width ?? 800, height: options.height ?? 600 }
    FakeWindow.open.push(this)
    FakeWindow.onCreated(this)
  }
  async loadURL(address: string) {
    this.loaded.push(address)
    this.webContents.mainFrame = { url: address, parent: null }
  }
  /** Emits the events of a page that has loaded. */
  finishLoading() {
    this.webContents.loading = false
    this.webContents.emit('dom-ready')
    this.emit('ready-to-show')
  }
  show = () => void (this.shown = true)
  /** Shows the window without the keyboard. */
  showInactive = () => void (this.shown = true)
  focus = () => void this.focused++
  maximize = () => void (this.maximized = true)
  isMaximized = () => this.maximized
  isMinimized = () => this.minimized
  restore = () => void (this.minimized = false)
  isDestroyed = () => this.webContents.destroyed
  getNormalBounds = () => this.bounds
  hasFocus = false
  isFocused = () => this.hasFocus
  private title = 'Perpscope'
  getTitle = () => this.title
  setTitle = (title: string) => void (this.title = title)
  setProgressBar = (fraction: number) => void (this.progress = fraction)
  close() {
    this.emit('close')
    this.destroy()
  }
  destroy() {
    if (this.webContents.destroyed) return
    this.webContents.destroyed = true
    FakeWindow.open = FakeWindow.open.filter((window) => window !== this)
    this.webContents.emit('destroyed')
    this.emit('closed')
    if (FakeWindow.open.length === 0) FakeWindow.onAllClosed()
  }
}
