import type { App } from '#fairway/server/kernel/app-context'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'

// Loaded when one is shown: the command line and the build read this domain too, and know no pages.
const load = () => import('./embed-pages')

/** The page for whatever is not a person's own navigation. */
export const embedStartPage = async (app: App, ticket: string, language: string | undefined): Promise<ServerPage> =>
  (await load()).embedStartPage(app, ticket, language)

/** The page that says why there is nothing to see and what to do. */
export const embedRefusedPage = async (app: App, language: string | undefined): Promise<ServerPage> =>
  (await load()).embedRefusedPage(app, language)
