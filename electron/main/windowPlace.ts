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

/** Where the window was when it was last closed; x and y are null until the person has placed it. */
export type WindowPlace = z.infer<typeof placeShape>

export const smallestSize = { width: 960, height: 600 }
const firstPlace: WindowPlace = { x: null, y: null, width: 1440, height: 900, maximized: false }

/** How much of the window must show for a person to find and grab it. */
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

/** The place on the screens there are now: no larger than the screen, and in the middle where it would be out of sight. */
export function fitToScreens(place: WindowPlace, screens: readonly Rectangle[]): WindowPlace {
  const { x, y } = place
  const screen = x === null || y === null ? undefined : screens.find((each) => shows(each, { ...place, x, y }))
  const { width, height } = screen ?? screens[0] ?? place
  const sized = { ...place, width: within(place.width, 'width', width), height: within(place.height, 'height', height) }
  return screen ? sized : { ...sized, x: null, y: null }
}

const within = (wanted: number, side: 'width' | 'height', available: number) =>
  Math.min(Math.max(wanted, smallestSize[side]), Math.max(available, 1))

function shows(screen: Rectangle, window: Rectangle): boolean {
  const overlap = Math.min(screen.x + screen.width, window.x + window.width) - Math.max(screen.x, window.x)
  const titleBarInside = window.y >= screen.y && window.y <= screen.y + screen.height - GRIP_PX
  return overlap >= Math.min(GRIP_PX, window.width) && titleBarInside
}
