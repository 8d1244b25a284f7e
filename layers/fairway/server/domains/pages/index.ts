export { checkEmbedDeclarations, findPage, type FoundPage, makeImpersonal } from './find-page'
export { createTicket, openTicket, pagesRows, ticketSchema } from './embed/embed-ticket'
export { embedRefusedPage, embedStartPage } from './embed/load-pages'
export { endEmbedSession, findEmbedSession, requireEmbedSession, purgeEmbedTokens } from './embed/embed-session'
export {
  withAuthDisabledNotice,
  withLocalDataMark,
  getPageCache,
  notePath,
  pageResponse,
  readyPage,
  toRenderedPage,
} from './rendered-page'
