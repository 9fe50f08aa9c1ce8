import { fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import type * as Electron from 'electron'
import { crossBridge } from './contextBridge.ts'
import { FakeIpcRenderer } from './electronPreload.ts'
import { FakeWindow } from './electronWindow.ts'

/**
 * This module fakes the part of `electron` that the desktop host uses. Tests load it with
 * `vi.mock('electron', () => import('../fakes/electron.ts'))` and read in `desktop` what the host did.
 */
const fresh = () => ({
  paths: new Map<string, string>(),
  hasLock: true,
  packaged: false,
  /** Calls of the host, in order, as text. */
  steps: [] as string[],
  opened: [] as string[],
  dialogs: [] as { kind: string; title: string; options: unknown }[],
  /** Answers of the user by kind of dialog, or functions of its options; by default every dialog is cancelled. */
  answers: new Map<string, unknown>(),
  notifications: [] as FakeNotification[],
  menu: null as Electron.MenuItemConstructorOptions[] | null,
  exitCode: null as number | null,
  quits: 0,
  storageBackend: 'gnome_libsecret' as ReturnType<Electron.SafeStorage['getSelectedStorageBackend']>,
  canEncrypt: true,
  /**
   * Prefix that names the encryption key: `v11` for the key of the keyring, `v10` for a password that everybody knows.
   */
  encryptionMark: 'v11',
  /** Options of each restart that the host asked for. */
  relaunches: [] as Electron.RelaunchOptions[],
  schemes: [] as Electron.CustomScheme[],
  handlers: new Map<string, (request: Request) => Promise<Response>>(),
  displays: [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }],
  linkClients: [] as string[],
  /** Objects that the preload exposed on `window`. */
  exposed: new Map<string, unknown>(),
  /** Proxy that the system names for an address, by its protocol. */
  proxies: new Map<string, string>(),
})

export const desktop = fresh()

/** Resets the fake for the next test. */
export function resetDesktop(): void {
  Object.assign(desktop, fresh())
  for (const window of FakeWindow.open) window.webContents.destroyed = true
  FakeWindow.open = []
  app.removeAllListeners()
  app.renew()
  ipcMain.removeAllListeners()
  ipcRenderer.removeAllListeners()
  session.defaultSession = new FakeSession()
  Object.assign(nativeTheme, { themeSource: 'system', shouldUseDarkColors: true })
}

/** Members of a fake: it may have fewer than the real object, but none that the real object lacks. */
type Names<Real> = Partial<Record<keyof Real, unknown>>

class FakeApp extends EventEmitter {
  private ready = Promise.withResolvers<void>()
  private isOn = false
  readonly commandLine = { hasSwitch: (name: string) => process.argv.includes(`--${name}`) }
  get isPackaged() {
    return desktop.packaged
  }
  getPath(name: string) {
    return desktop.paths.get(name) ?? `/nowhere/${name}`
  }
  setPath(name: string, path: string) {
    desktop.steps.push(`setPath ${name}`)
    desktop.paths.set(name, path)
  }
  getVersion() {
    return '0.0.0-test'
  }
  requestSingleInstanceLock() {
    desktop.steps.push('requestSingleInstanceLock')
    return desktop.hasLock
  }
  setAppUserModelId(id: string) {
    desktop.steps.push(`setAppUserModelId ${id}`)
  }
  enableSandbox() {
    desktop.steps.push('enableSandbox')
  }
  whenReady() {
    return this.ready.promise
  }
  isReady() {
    return this.isOn
  }
  renew() {
    this.ready = Promise.withResolvers()
    this.isOn = false
  }
  beReady() {
    desktop.steps.push('ready')
    this.isOn = true
    this.ready.resolve()
  }
  setAsDefaultProtocolClient(scheme: string) {
    desktop.linkClients.push(scheme)
    return true
  }
  /** Closes the windows first and then emits `will-quit`, which may delay the end, as the real app does. */
  quit() {
    desktop.quits++
    for (const window of FakeWindow.open) window.close()
    const event = fakeEvent()
    this.emit('will-quit', event)
    if (!event.defaultPrevented) desktop.exitCode ??= 0
  }
  relaunch(options: Electron.RelaunchOptions = {}) {
    desktop.relaunches.push(options)
  }
  exit(code: number) {
    desktop.exitCode ??= code
  }
}

export function fakeEvent() {
  return {
    defaultPrevented: false,
    preventDefault() {
      this.defaultPrevented = true
    },
  }
}

class FakeNotification extends EventEmitter {
  static isSupported() {
    return true
  }
  shown = false
  readonly options: Electron.NotificationConstructorOptions
  constructor(options: Electron.NotificationConstructorOptions) {
    super()
    this.options = options
    desktop.notifications.push(this)
  }
  show() {
    this.shown = true
  }
}

export class FakeSession extends EventEmitter {
  permissionRequest: ((...details: unknown[]) => void) | null = null
  permissionCheck: ((...details: unknown[]) => boolean) | null = null
  devicePermission: (() => boolean) | null = null
  beforeRequest: ((details: { url: string }, answer: (verdict: { cancel: boolean }) => void) => void) | null = null
  webRequest = {
    onBeforeRequest: (listener: typeof this.beforeRequest) => void (this.beforeRequest = listener),
  }
  resolveProxy = async (url: string) => desktop.proxies.get(new URL(url).protocol) ?? 'DIRECT'
  setPermissionRequestHandler(handler: typeof this.permissionRequest) {
    this.permissionRequest = handler
  }
  setPermissionCheckHandler(handler: typeof this.permissionCheck) {
    this.permissionCheck = handler
  }
  setDevicePermissionHandler(handler: typeof this.devicePermission) {
    this.devicePermission = handler
  }
}

interface DialogOptions {
  message?: string
}

/** Returns a fake dialog function; like the real one, it accepts a window as an optional first argument. */
const dialogAnswer = (kind: string, cancelled: unknown) => async (first: DialogOptions, second?: DialogOptions) => {
  const options = second ?? first
  desktop.dialogs.push({ kind, title: options.message ?? '', options })
  const answer = desktop.answers.get(kind)
  return typeof answer === 'function' ? (answer(options) as unknown) : (answer ?? cancelled)
}

export const app = new FakeApp()
export const BrowserWindow = FakeWindow
export const ipcMain = new EventEmitter()
export const ipcRenderer = new FakeIpcRenderer(ipcMain)
export const contextBridge = {
  exposeInMainWorld: (name: string, api: unknown) => void desktop.exposed.set(name, crossBridge(api)),
} satisfies Names<Electron.ContextBridge>
export const webUtils = {
  getPathForFile: (file: File & { fakePath?: string }) => file.fakePath ?? '',
} satisfies Names<Electron.WebUtils>
export const Notification = FakeNotification
export const powerSaveBlocker = {
  start: (kind: string) => {
    desktop.steps.push(`stay awake: ${kind}`)
    return 7
  },
  stop: (id: number) => {
    desktop.steps.push(`may sleep: ${id}`)
    return true
  },
} satisfies Names<Electron.PowerSaveBlocker>
/** Fake encryption that reverses the bytes, so that tests can see that the stored text is not the plain text. */
export const safeStorage = {
  getSelectedStorageBackend: () => desktop.storageBackend,
  isAsyncEncryptionAvailable: async () => desktop.canEncrypt,
  encryptStringAsync: async (text: string) =>
    Buffer.concat([Buffer.from(desktop.encryptionMark), Buffer.from(text).reverse()]),
  decryptStringAsync: async (bytes: Buffer) => ({
    result: Buffer.from(bytes.subarray(desktop.encryptionMark.length)).reverse().toString(),
    shouldReEncrypt: false,
  }),
} satisfies Names<Electron.SafeStorage>
export const nativeTheme = { themeSource: 'system', shouldUseDarkColors: true } satisfies Names<Electron.NativeTheme>
export const screen = { getAllDisplays: () => desktop.displays } satisfies Names<Electron.Screen>
export const session = { defaultSession: new FakeSession() }
export const shell = {
  openExternal: async (address: string) => void desktop.opened.push(address),
  showItemInFolder: (path: string) => void desktop.opened.push(path),
} satisfies Names<Electron.Shell>
export const dialog = {
  showErrorBox: (title: string, content: string) =>
    void desktop.dialogs.push({ kind: 'error', title, options: { content } }),
  showMessageBox: dialogAnswer('message', { response: -1 }),
  showOpenDialog: dialogAnswer('open', { canceled: true, filePaths: [] }),
  showSaveDialog: dialogAnswer('save', { canceled: true, filePath: '' }),
} satisfies Names<Electron.Dialog>
export const protocol = {
  registerSchemesAsPrivileged(schemes: Electron.CustomScheme[]) {
    desktop.steps.push('registerSchemes')
    desktop.schemes.push(...schemes)
  },
  handle: (scheme: string, handler: (request: Request) => Promise<Response>) =>
    void desktop.handlers.set(scheme, handler),
} satisfies Names<Electron.Protocol>
export const Menu = {
  buildFromTemplate: (template: Electron.MenuItemConstructorOptions[]) => template,
  setApplicationMenu: (menu: Electron.MenuItemConstructorOptions[]) => void (desktop.menu = menu),
} satisfies Names<typeof Electron.Menu>

FakeWindow.onCreated = (window) => app.emit('web-contents-created', fakeEvent(), window.webContents)
FakeWindow.onAllClosed = () => app.emit('window-all-closed')

type Invented<Fake, Real, ForTests extends PropertyKey = never> = Exclude<keyof Fake, keyof Real | ForTests>
/** Members of fake classes that Electron's classes lack, except for the listed ones; it must be empty to compile. */
export type InventedNames =
  | Invented<FakeApp, Electron.App, 'renew' | 'beReady'>
  | Invented<
      FakeWindow,
      Electron.BrowserWindow,
      | 'options'
      | 'bounds'
      | 'loaded'
      | 'shown'
      | 'hasFocus'
      | 'focused'
      | 'maximized'
      | 'minimized'
      | 'progress'
      | 'finishLoading'
    >
  | Invented<FakeNotification, Electron.Notification, 'shown' | 'options'>
  | Invented<
      FakeSession,
      Electron.Session,
      'permissionRequest' | 'permissionCheck' | 'devicePermission' | 'beforeRequest'
    >
const invented: [InventedNames] extends [never] ? true : InventedNames = true
void invented

/** Electron's utility processes, as processes of plain Node. */
export const utilityProcess = {
  fork(modulePath: string, _args: string[], { env }: { env?: Record<string, string> }) {
    if (!app.isReady()) throw new TypeError('utilityProcess cannot be created before app is ready.')
    desktop.steps.push('utility process')
    const child = fork(modulePath, [], {
      serialization: 'advanced',
      execArgv: [],
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    return Object.assign(child, { postMessage: (message: object) => void (child.connected && child.send(message)) })
  },
} satisfies Names<typeof Electron.utilityProcess>
