import { aliases, isHouse } from '../registry/roots'

/** What an application may have written in its nuxt.config. */
export interface Settings {
  alias: Record<string, string>
  errorHandler?: unknown
  renderer?: unknown
}

/** Settings of the application's that would put something else in the place of the platform's heart. */
export function settingClashes({ alias, errorHandler, renderer }: Settings, rootDir: string): string[] {
  const own = aliases(rootDir)
  const renamed = ['#fairway', '#fw', '#fw/client'].filter(name => alias[name] !== own[name])
  const handlers = [errorHandler].flat()
  return [
    ...renamed.map(name => `nuxt.config, alias['${name}']: this name is the platform's. Choose another one`),
    ...(handlers.length === 1 && isHouse(String(handlers[0]))
      ? []
      : [
          'nuxt.config, nitro.errorHandler: failures are answered by the platform, in one form. Throw AppError of #fw for an answer of your own, and replace app/error.vue for the page',
        ]),
    ...(renderer === undefined
      ? []
      : ['nuxt.config, nitro.renderer: pages are rendered and kept by the platform. Leave it out']),
  ]
}
