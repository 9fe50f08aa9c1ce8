import { describe, expect, it } from 'vitest'
import { compare, readPng, sideBySide, writePalettePng, type Picture } from '../../pictures/comparison.ts'

/** Creates a picture of one grey with a rectangle of another grey. */
function plain(grey: number, { left = 0, top = 0, width = 0, height = 0, inner = grey } = {}): Picture {
  const picture: Picture = { width: 120, height: 80, rgba: new Uint8Array(120 * 80 * 4).fill(255) }
  for (let at = 0; at < picture.rgba.length; at += 4) {
    const x = (at / 4) % picture.width
    const y = Math.floor(at / 4 / picture.width)
    const isInside = x >= left && x < left + width && y >= top && y < top + height
    picture.rgba.fill(isInside ? inner : grey, at, at + 3)
  }
  return picture
}

describe('the comparison of pictures', () => {
  it('finds no difference between a picture and itself', () => {
    expect(compare(plain(20), plain(20))).toMatchObject({ isChanged: false, pixels: 0, box: null })
  })

  it('finds a changed letter, and where it is', () => {
    const letter = plain(20, { left: 40, top: 30, width: 5, height: 7, inner: 220 })
    expect(compare(plain(20), letter)).toMatchObject({
      isChanged: true,
      pixels: 35,
      box: { left: 40, top: 30, right: 44, bottom: 36 },
    })
  })

  it('finds a row whose background is a little lighter', () => {
    const row = plain(20, { top: 20, width: 120, height: 24, inner: 32 })
    expect(compare(plain(20), row).isChanged).toBe(true)
  })

  it('does not mind what no eye sees: a few pixels, or a slightly other colour', () => {
    expect(compare(plain(20), plain(20, { width: 4, height: 4, inner: 220 })).isChanged).toBe(false)
    expect(compare(plain(20), plain(23)).isChanged).toBe(false)
  })

  it('takes another size for a change', () => {
    const narrow: Picture = { width: 60, height: 80, rgba: new Uint8Array(60 * 80 * 4).fill(255) }
    expect(compare(plain(255), narrow).isChanged).toBe(true)
  })

  it('reads what it wrote, and puts pictures beside each other', () => {
    const picture = plain(20, { left: 3, top: 5, width: 9, height: 2, inner: 200 })
    expect(readPng(writePalettePng(picture))).toEqual(picture)
    const both = sideBySide([picture, plain(200)])
    expect([both.width, both.height]).toEqual([120 + 16 + 120, 80])
    expect(both.rgba[0]).toBe(20)
    expect(both.rgba[(120 + 16) * 4]).toBe(200)
  })

  it('keeps the colours of a picture with many of them within what counts as equal', () => {
    const picture = plain(0)
    for (let at = 0; at < picture.rgba.length; at += 4) {
      picture.rgba[at] = (at / 4) % 120
      picture.rgba[at + 1] = Math.floor(at / 4 / 120)
      picture.rgba[at + 2] = 40
    }
    expect(compare(readPng(writePalettePng(picture)), picture).isChanged).toBe(false)
  })
})
