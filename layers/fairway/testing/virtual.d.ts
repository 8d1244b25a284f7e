// Modules that the plugin for Vitest serves, besides those of the build.
declare module '#fw/handlers' {
  import type { EventHandler, RouterMethod } from 'h3'

  export const handlers: {
    /** Not given for middleware. */
    route?: string
    method?: RouterMethod
    load(): Promise<{ default: EventHandler }>
  }[]
}

declare module '#fw/root' {
  /** The folder of the application. */
  export const rootDir: string
}
