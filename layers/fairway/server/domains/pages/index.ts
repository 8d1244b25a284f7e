export {
  askedLanguage,
  checkEmbedDeclarations,
  findPage,
  type FoundPage,
  makeImpersonal,
  pathIn,
  type ShellPage,
} from './find-page'
export {
  createTicket,
  embedRefusedPage,
  embedStartPage,
  endEmbedSession,
  findEmbedSession,
  openTicket,
  pagesRows,
  purgeEmbedTokens,
  requireEmbedSession,
  ticketSchema,
} from './embed-ticket'
export {
  withAuthDisabledNotice,
  withLocalDataMark,
  withScripts,
  findKeptPage,
  keepPage,
  notePath,
  pageResponse,
  readyPage,
  toRenderedPage,
} from './rendered-page'
export { withPublicHead } from './public-head'
export { robotsText, sitemapText } from './site-files'
