import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { h } from 'vue'
import type { Brand } from '../../server/kernel/config/brand'
import {
  isPageFrame,
  type PageFrame,
  renderInFrame,
  SERVER_PAGES,
  type ServerPageName,
} from '../../server/kernel/server-page/page-frame'
import { DeclarationError, loadDeclarations, type LoadOptions } from '../registry/load-declarations'
import type { DeclarationFile } from '../registry/names'

export const PLACE = 'server/pages'
const kind = { plural: 'page frames', maker: 'definePageFrame', isOne: isPageFrame }
const names: readonly string[] = ['frame', ...SERVER_PAGES]

/** The files of the application that stand around the server's own pages, by the page's name. */
export function frameFiles(rootDir: string): DeclarationFile[] {
  return filesIn(join(rootDir, PLACE))
    .filter(file => /^[^_].*\.tsx?$/.test(file) && !/\.(test|spec|d)\.tsx?$/.test(file))
    .map(file => ({ name: file.replace(/\.tsx?$/, ''), group: 'general', path: `${PLACE}/${file}` }))
}

/** Loads every frame and renders the pages it is for; throws DeclarationError with all faults at once. */
export async function checkFrames(rootDir: string, brand: Brand, options?: LoadOptions): Promise<string[]> {
  const files = frameFiles(rootDir)
  const unknown = files
    .filter(({ name }) => !names.includes(name))
    .map(({ path }) => `${path}: no page has this name; the names are ${names.join(', ')}`)
  if (unknown.length > 0) throw new DeclarationError(kind.plural, unknown)
  const loaded = await loadDeclarations(rootDir, files, kind, options)
  const faults: string[] = []
  for (const { name, path, declared } of loaded) {
    const fault = await firstFault(name, declared, brand)
    if (fault) faults.push(`${path}: ${fault}`)
  }
  if (faults.length > 0) throw new DeclarationError(kind.plural, faults)
  return loaded.map(({ name }) => name)
}

function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir).toSorted()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function firstFault(name: string, frame: PageFrame, brand: Brand): Promise<string | undefined> {
  for (const page of SERVER_PAGES.filter(one => name === 'frame' || name === one)) {
    for (const language of ['en', 'de']) {
      const fault = await faultOf(frame, { page, language, brand })
      if (fault) return fault
    }
  }
  return undefined
}

async function faultOf(
  frame: PageFrame,
  { page, language, brand }: { page: ServerPageName; language: string; brand: Brand },
): Promise<string | undefined> {
  try {
    const html = await renderInFrame(frame, { page, language, brand, mark: h('p'), body: h('p') })
    const [blocked] = /<script|\s(?:style|on[a-z]+)=(?=")/i.exec(html) ?? []
    return (
      blocked &&
      `${blocked.trim()} is blocked by the page's content security policy; give rules as definePageFrame(…, { style })`
    )
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
