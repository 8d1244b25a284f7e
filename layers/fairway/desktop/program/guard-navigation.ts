import type { Page } from 'playwright-core'
import { originOf } from './origin-of'

interface GuardInput {
  /** The application that the window shows. */
  origin: string
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
}

/**
 * A link to another origin that is clicked in an application's page opens in the person's ordinary browser instead.
 * Redirects, forms and what scripts do stay in the window: signing in at a provider leads through other origins and back.
 */
export async function guardNavigation(page: Page, { origin, openElsewhere }: GuardInput): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const held: { clicked?: string } = {}
  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrame = frameTree.frame.id
  session.on('Page.frameRequestedNavigation', ({ frameId, reason, url }) => {
    if (frameId === mainFrame) held.clicked = reason === 'anchorClick' ? url : undefined
  })
  session.on('Fetch.requestPaused', ({ requestId, frameId, request, redirectedRequestId }) => {
    const isClicked = frameId === mainFrame && request.url === withoutHash(held.clicked) && !redirectedRequestId
    // Only http and https have an origin here, so nothing else is handed on.
    const isElsewhere = !['', origin].includes(originOf(request.url)) && originOf(page.url()) === origin
    if (!isClicked || !isElsewhere) {
      // The page may be gone by now.
      void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
      return
    }
    void session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => undefined)
    openElsewhere(held.clicked ?? request.url)
  })
  await session.send('Page.enable')
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] })
}

const withoutHash = (url: string | undefined): string | undefined => url?.split('#', 1)[0]

/** A new window of a partition that shows another origin is closed and its address opened in the ordinary browser. */
export async function guardNewWindow(page: Page, { origin, openElsewhere }: GuardInput): Promise<void> {
  const now = originOf(page.url())
  if (now === '' || now === origin) return guardNavigation(page, { origin, openElsewhere })
  openElsewhere(page.url())
  await page.close()
}
