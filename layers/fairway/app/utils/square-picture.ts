const SIDE = 256
const QUALITY = 0.86

/** A picture cut to its middle square and made 256 pixels wide: WebP, or JPEG where the browser writes none. Throws for what is no picture. */
export async function squarePicture(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const side = Math.min(bitmap.width, bitmap.height)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = SIDE
  const context = canvas.getContext('2d')
  if (!context) throw new TypeError('this browser has no canvas')
  // JPEG knows no transparency: what is empty becomes white and not black.
  context.fillStyle = '#fff'
  context.fillRect(0, 0, SIDE, SIDE)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, SIDE, SIDE)
  bitmap.close()
  const webp = await toBlob(canvas, 'image/webp')
  return webp?.type === 'image/webp' ? webp : ((await toBlob(canvas, 'image/jpeg')) ?? file)
}

const toBlob = (canvas: HTMLCanvasElement, type: string): Promise<Blob | null> =>
  new Promise(resolve => canvas.toBlob(resolve, type, QUALITY))
