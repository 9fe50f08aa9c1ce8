import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { BrowserWindow, nativeTheme, type Rectangle, screen, type WebContents } from 'electron'
import { z } from 'zod'
import type { Logger } from '#core/ports.ts'
import { pageAddress } from './appProtocol.ts'
import { restrictedPage } from './security.ts'

interface MainWindowDeps {
  preload: string
  /** File that stores the window's position and size. */
  placeFile: string
  log: Logger
  /** Returns the zoom chosen by the user; Chromium's own stored zoom is ignored. */
  zoom(): number
  onCreated(window: BrowserWindow): void
}

/** The main window of the app; on macOS the app runs on without it. */
interface MainWindow {
  /**
   * Brings the window to the front, creating it if it is closed.
   * @returns false if a loaded page has to be told to open `route`
   */
  show(route: string | null): boolean
  current(): BrowserWindow | null
  owns(contents: WebContents): boolean
}

/** Returns the window colour before the first paint: the canvas of the current theme. */
const backgroundColor = () => (nativeTheme.shouldUseDarkColors ? '#111416' : '#fbfaf7')

/** Creates a hidden window at its stored position; the caller shows it once its page is painted. */
export function createHiddenWindow(
  { preload, zoom }: Pick<MainWindowDeps, 'preload' | 'zoom'>,
  place: WindowPlace,
  smallest: { width: number; height: number },
): { window: BrowserWindow; maximized: boolean } {
  const areas = screen.getAllDisplays().map((display) => display.workArea)
  const { x, y, maximized, ...size } = fitToScreens(place, areas, smallest)
  const window = new BrowserWindow({
    ...size,
    ...(x !== null && y !== null && { x, y }),
    minWidth: smallest.width,
    minHeight: smallest.height,
    title: 'Perpscope',
    show: false,
    backgroundColor: backgroundColor(),
    webPreferences: { ...restrictedPage, preload, zoomFactor: zoom() },
  })
  window.webContents.on('dom-ready', () => window.webContents.setZoomFactor(zoom()))
  return { window, maximized }
}

export function createMainWindow(deps: MainWindowDeps): MainWindow {
  let current: BrowserWindow | null = null

  function create(route: string): void {
    const { window, maximized } = createHiddenWindow(deps, readWindowPlace(deps.placeFile), smallestSize)
    current = window
    // Maximizing shows the window, which is unpainted before this event.
    window.once('ready-to-show', () => (maximized ? window.maximize() : window.show()))
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

export const placeSchema = z.object({
  x: z.int().nullable(),
  y: z.int().nullable(),
  width: z.int().positive(),
  height: z.int().positive(),
  maximized: z.boolean(),
})

/** Position and size of a window when it was last closed; x and y are null if the system places the window. */
export type WindowPlace = z.infer<typeof placeSchema>

export const smallestSize = { width: 960, height: 600 }
const defaultPlace: WindowPlace = { x: null, y: null, width: 1440, height: 900, maximized: false }

/** Size of the smallest visible part of the window that a user can find and drag. */
const GRIP_PX = 100

/** Reads the stored position; if the file is missing or broken, the window opens at its default position. */
export function readWindowPlace(file: string): WindowPlace {
  try {
    return placeSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return defaultPlace
  }
}

/** @throws if the file cannot be written */
const writeWindowPlace = (file: string, place: WindowPlace): void => writePlaces(file, place)

/** Writes the position of one window, or of several by name. */
export function writePlaces(file: string, place: WindowPlace | Record<string, WindowPlace>): void {
  const part = `${file}.part`
  writeFileSync(part, JSON.stringify(place), { mode: 0o600 })
  renameSync(part, file)
}

/**
 * Fits a stored window to the current screens: no larger than its screen, and centred if it would be out of sight.
 */
export function fitToScreens(
  place: WindowPlace,
  screens: readonly Rectangle[],
  smallest: Size = smallestSize,
): WindowPlace {
  const { x, y } = place
  if (x !== null && y !== null) {
    const reachableScreen = screens.find((screen) =>
      isReachableOn(screen, { x, y, ...sizeOn(screen, place, smallest) }),
    )
    if (reachableScreen) return { ...place, ...sizeOn(reachableScreen, place, smallest) }
  }
  return { ...place, x: null, y: null, ...(screens.length > 0 && sizeOn(screens[0], place, smallest)) }
}

type Size = Pick<Rectangle, 'width' | 'height'>

function sizeOn(screen: Rectangle, { width, height }: WindowPlace, smallest: Size): Size {
  return {
    width: Math.min(Math.max(width, smallest.width), screen.width),
    height: Math.min(Math.max(height, smallest.height), screen.height),
  }
}

function isReachableOn(screen: Rectangle, window: Rectangle): boolean {
  const overlap = Math.min(screen.x + screen.width, window.x + window.width) - Math.max(screen.x, window.x)
  const isTitleBarInside = window.y >= screen.y && window.y <= screen.y + screen.height - GRIP_PX
  return overlap >= Math.min(GRIP_PX, window.width) && isTitleBarInside
}
