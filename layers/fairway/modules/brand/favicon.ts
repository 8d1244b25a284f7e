import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Accent } from '../../server/kernel/config/brand'
import { houseDir } from '../registry/roots'

const MARK = join(houseDir, 'public/favicon.svg')
const MARK_COLOUR = 'stroke="#166534"'

/** The icon of the browser's tab as SVG: the logo's picture, or the platform's mark in the colours of the accent. */
export function favicon(logoFile: string | undefined, accent: Accent): string {
  if (logoFile?.endsWith('.svg')) return readFileSync(logoFile, 'utf8')
  if (logoFile) return pictureIn(readFileSync(logoFile).toString('base64'))
  const mark = readFileSync(MARK, 'utf8')
  if (!mark.includes(MARK_COLOUR)) throw new Error(`${MARK} has no ${MARK_COLOUR}`)
  const style = `<style>svg{stroke:${accent[800]}}@media(prefers-color-scheme:dark){svg{stroke:${accent[400]}}}</style>`
  return mark.replace(` ${MARK_COLOUR}`, '').replace('>', `>${style}`)
}

const pictureIn = (png: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><image width="32" height="32" href="data:image/png;base64,${png}"/></svg>\n`
