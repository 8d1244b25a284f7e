import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { houseDir } from '../../../modules/registry/roots'

/** Sentences about files of an application that stand in the place of the platform's. */
export function replacedFiles(folder: string): string[] {
  const isInApp = existsSync(join(folder, 'app'))
  const find = (dir: string) =>
    globSync('{app.vue,error.vue,{pages,layouts,components}/**/*.vue}', { cwd: dir }).map(path =>
      path.replaceAll('\\', '/'),
    )
  const own = new Set(find(isInApp ? join(folder, 'app') : folder))
  const replaced = find(join(houseDir, 'app')).filter(path => own.has(path))
  const prefix = isInApp ? 'app/' : ''
  return [
    ...replaced.map(path => `${prefix}${path} stays and replaces the platform's.`),
    ...(own.has('app.vue') && !showsPages(join(folder, `${prefix}app.vue`))
      ? [
          `${prefix}app.vue shows no pages, so the platform's are not seen either. Move what it shows to ${prefix}pages/index.vue and delete it.`,
        ]
      : []),
  ]
}

const showsPages = (file: string): boolean => /<(NuxtPage|nuxt-page)\b/.test(readFileSync(file, 'utf8'))
