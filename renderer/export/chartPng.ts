import { exportedChartSvg, type ChartPicture } from './chartSvg.ts'

const SCALE = 2

/** Renders a chart as a PNG image with twice the pixels, so that it stays sharp when enlarged. */
export const chartPng = (picture: ChartPicture): Promise<Blob> =>
  svgPng(exportedChartSvg(picture), picture.widthPx, picture.heightPx)

export async function svgPng(svg: string, widthPx: number, heightPx: number): Promise<Blob> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = widthPx * SCALE
  canvas.height = heightPx * SCALE
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The image is too large.'))), 'image/png'),
  )
}
