import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Rectangle } from 'electron'
import { z } from 'zod'

const placeShape = z.object({
  x: z.int().nullable(),
  y: z.int().nullable(),
  width: z.int().positive(),
  height: z.int().positive(),
  maximized: z.boolean(),
})

/** Place of the window when it was last closed; x and y are null until the person has placed it. */
export type WindowPlace = z.infer<typeof placeShape>

export const smallestSize = { width: 960, height: 600 }
const firstPlace: WindowPlace = { x: null, y: null, width: 1440, height: 900, maximized: false }

/** Least visible part of the window that a person can find and drag. */
const GRIP_PX = 100

/** A missing or broken file is no reason to complain: the window just opens where it would the first time. */
export function readWindowPlace(file: string): WindowPlace {
  try {
    return placeShape.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return firstPlace
  }
}

/** @throws where the file cannot be written */
export function writeWindowPlace(file: string, place: WindowPlace): void {
  const part = `${file}.part`
  writeFileSync(part, JSON.stringify(place))
  renameSync(part, file)
}

/** The place on the screens there are now: no larger than its screen, and in the middle where it would be out of sight. */
export function fitToScreens(place: WindowPlace, screens: readonly Rectangle[]): WindowPlace {
  const { x, y } = place
  if (x !== null && y !== null) {
    const seen = screens.find((screen) => shows(screen, { x, y, ...sizeOn(screen, place) }))
    if (seen) return { ...place, ...sizeOn(seen, place) }
  }
  return { ...place, x: null, y: null, ...(screens.length > 0 && sizeOn(screens[0], place)) }
}

function sizeOn(screen: Rectangle, { width, height }: WindowPlace): { width: number; height: number } {
  return {
    width: Math.min(Math.max(width, smallestSize.width), screen.width),
    height: Math.min(Math.max(height, smallestSize.height), screen.height),
  }
}

function shows(screen: Rectangle, window: Rectangle): boolean {
  const overlap = Math.min(screen.x + screen.width, window.x + window.width) - Math.max(screen.x, window.x)
  const titleBarInside = window.y >= screen.y && window.y <= screen.y + screen.height - GRIP_PX
  return overlap >= Math.min(GRIP_PX, window.width) && titleBarInside
}
