import { appendResponseHeader, type H3Event, sendRedirect, setResponseHeader } from 'h3'
import type { AppError } from '../http/app-error'
import type { ServerPage } from './render-page'
import { sendPage, sendPersonalPage } from './send-page'

/** The answer to a browser: a body, a redirect or a page, and the cookies to set. */
export type BrowserAnswer = { setCookies?: readonly string[] } & (
  | { body: unknown }
  /** 303 when no status is given. */
  | { location: string; status?: 302 }
  /** A page for this browser only, with the status of the error that it explains. */
  | { page: ServerPage; status?: number; headers?: AppError['headers'] }
  /** A page that is the same for every browser. */
  | { sharedPage: ServerPage }
)

/** A page for one browser that explains an error, with its status and headers. */
export const explained = (page: ServerPage, { status, headers }: AppError) => ({ page, status, headers })

/** Sets the cookies of an answer. */
export function setCookies(event: H3Event, cookies: readonly string[]): void {
  for (const cookie of cookies) appendResponseHeader(event, 'set-cookie', cookie)
}

/** Sends a domain's answer. */
export function sendAnswer(event: H3Event, answer: BrowserAnswer): unknown {
  setCookies(event, answer.setCookies ?? [])
  if ('body' in answer) return answer.body
  if ('sharedPage' in answer) return sendPage(event, answer.sharedPage)
  if ('page' in answer) {
    const { page, status = 200, headers = {} } = answer
    return sendPersonalPage(event, page, { status, headers })
  }
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, answer.status ?? 303)
}
