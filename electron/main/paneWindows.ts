import { readFileSync } from 'node:fs'
import { app, type BrowserWindow, type WebContents } from 'electron'
import { z } from 'zod'
import type { Logger } from '#core/ports.ts'
import { paneAddress } from '#shared/contract/paneAddress.ts'
import type { PaneWindow } from '#shared/contract/areas/app.ts'
import { pageAddress } from './appProtocol.ts'
import { createHiddenWindow, placeSchema, type WindowPlace, writePlaces } from './mainWindow.ts'

interface PaneWindowDeps {
  preload: string
  /** File that stores the window position of each pane. */
  placeFile: string
  log: Logger
  zoom(): number
  onCreated(window: BrowserWindow): void
  /** Called when the user has closed the window of a pane, but not when the app quits. */
  onClosed(pane: PaneWindow): void
}

/** Windows of individual panes of a workspace, in addition to the main window. */
interface PaneWindows {
  /** @param behind true to leave the focused window in front */
  open(pane: PaneWindow, behind: boolean): void
  owns(contents: WebContents): boolean
  all(): BrowserWindow[]
  /** Closes all pane windows as quitting does, so that their workspaces open them again. */
  closeAll(): void
}

const smallestPane = { width: 480, height: 300 }
const defaultPlace: WindowPlace = { x: null, y: null, width: 900, height: 560, maximized: false }
/** Maximum number of positions to store; the least recently used are dropped. */
const MOST_PLACES = 200

const addressOf = (pane: PaneWindow) => paneAddress(pane).slice(1)

export function createPaneWindows(deps: PaneWindowDeps): PaneWindows {
  const windowByAddress = new Map<string, BrowserWindow>()
  let isEnding = false
  app.on('before-quit', () => (isEnding = true))

  function create(pane: PaneWindow, behind: boolean): void {
    const address = addressOf(pane)
    const place = readPlaces(deps.placeFile)[address] ?? defaultPlace
    const { window, maximized } = createHiddenWindow(deps, place, smallestPane)
    windowByAddress.set(address, window)
    window.once('ready-to-show', () => {
      if (maximized) window.maximize()
      else if (behind) window.showInactive()
      else window.show()
    })
    window.on('close', () => remember(address, window))
    window.on('closed', () => {
      windowByAddress.delete(address)
      if (!isEnding) deps.onClosed(pane)
    })
    deps.onCreated(window)
    window
      .loadURL(pageAddress(address))
      .catch(() => deps.log.write('warn', 'loading the page of a pane was interrupted'))
  }

  function remember(address: string, window: BrowserWindow): void {
    const { [address]: _before, ...others } = readPlaces(deps.placeFile)
    const keptPlaces = Object.entries(others).slice(1 - MOST_PLACES)
    const place = { ...window.getNormalBounds(), maximized: window.isMaximized() }
    try {
      writePlaces(deps.placeFile, Object.fromEntries([...keptPlaces, [address, place]]))
    } catch {
      deps.log.write('warn', 'the position of a window could not be saved')
    }
  }

  return {
    open(pane, behind) {
      const existing = windowByAddress.get(addressOf(pane))
      if (!existing) return create(pane, behind)
      if (behind) return
      if (existing.isMinimized()) existing.restore()
      existing.show()
      existing.focus()
    },
    owns: (contents) => [...windowByAddress.values()].some((window) => window.webContents === contents),
    all: () => [...windowByAddress.values()],
    closeAll() {
      isEnding = true
      for (const window of windowByAddress.values()) window.close()
      isEnding = false
    },
  }
}

const placesSchema = z.record(z.string(), placeSchema)

function readPlaces(file: string): Record<string, WindowPlace> {
  try {
    return placesSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}
