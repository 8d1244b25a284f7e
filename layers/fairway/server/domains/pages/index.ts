export { checkEmbedDeclarations, findPage, type FoundPage, makeImpersonal } from './find-page'
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
  getPageCache,
  notePath,
  pageResponse,
  readyPage,
  toRenderedPage,
} from './rendered-page'
