import { BrowserWindow, nativeTheme, screen, type WebContents } from 'electron'
import type { Logger } from '#core/ports.ts'
import { pageAddress } from './appAddress.ts'
import { cagedPage } from './security.ts'
import { fitToScreens, readWindowPlace, smallestSize, writeWindowPlace } from './windowPlace.ts'

export interface MainWindowDeps {
  preload: string
  /** File that remembers the window's place. */
  placeFile: string
  log: Logger
  /** The person's choice; the engine's own memory of it does not count. */
  zoom(): number
  onCreated(window: BrowserWindow): void
}

/** The app has one window; on macOS the app lives on without it. */
export interface MainWindow {
  /**
   * Brings the window to the front, making it first where it is closed.
   * @returns false where `route` is given but a page runs already: it has to be told
   */
  show(route: string | null): boolean
  current(): BrowserWindow | null
  owns(contents: WebContents): boolean
}

/** Colour before the first paint: the canvas of the theme in use. */
const background = () => (nativeTheme.shouldUseDarkColors ? '#111416' : '#fbfaf7')

export function createMainWindow(deps: MainWindowDeps): MainWindow {
  let current: BrowserWindow | null = null

  function create(route: string): void {
    const areas = screen.getAllDisplays().map((display) => display.workArea)
    const { x, y, maximized, ...size } = fitToScreens(readWindowPlace(deps.placeFile), areas)
    const window = new BrowserWindow({
      ...size,
      ...(x !== null && y !== null && { x, y }),
      minWidth: smallestSize.width,
      minHeight: smallestSize.height,
      title: 'Perpscope',
      show: false,
      backgroundColor: background(),
      webPreferences: { ...cagedPage, preload: deps.preload, zoomFactor: deps.zoom() },
    })
    current = window
    if (maximized) window.maximize()
    window.webContents.on('dom-ready', () => window.webContents.setZoomFactor(deps.zoom()))
    window.once('ready-to-show', () => window.show())
    window.on('close', () => remember(window))
    window.on('closed', () => (current = null))
    deps.onCreated(window)
    load(window, route)
  }

  function load(window: BrowserWindow, route: string): void {
    window.loadURL(pageAddress(route)).catch(() => deps.log.write('warn', 'loading the page was broken off'))
  }

  function remember(window: BrowserWindow): void {
    try {
      writeWindowPlace(deps.placeFile, { ...window.getNormalBounds(), maximized: window.isMaximized() })
    } catch {
      deps.log.write('warn', 'the place of the window could not be kept')
    }
  }

  return {
    show(route) {
      if (!current) {
        create(route ?? '/')
        return true
      }
      if (current.isMinimized()) current.restore()
      current.show()
      current.focus()
      if (!route) return true
      if (!current.webContents.isLoading()) return false
      load(current, route)
      return true
    },
    current: () => current,
    owns: (contents) => current?.webContents === contents,
  }
}
