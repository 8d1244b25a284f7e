// Modules that the plugin for Vitest serves, in addition to those of the build.
declare module '#fw/handlers' {
  import type { EventHandler, RouterMethod } from 'h3'

  export const handlers: {
    /** Missing for middleware. */
    route?: string
    method?: RouterMethod
    load(): Promise<{ default: EventHandler }>
  }[]
}

declare module '#fw/root' {
  /** The folder of the application. */
  export const rootDir: string
}
