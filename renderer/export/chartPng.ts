import { chartSvg, type ChartPicture } from './chartSvg.ts'

const SCALE = 2

/** The same picture as the SVG, in twice the pixels, for slides and chats. */
export async function chartPng(picture: ChartPicture): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(chartSvg(picture))}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = picture.widthPx * SCALE
  canvas.height = picture.heightPx * SCALE
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is too large.'))), 'image/png'),
  )
}
