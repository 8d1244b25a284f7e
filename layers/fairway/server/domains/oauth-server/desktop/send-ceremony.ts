import { type H3Event, sendRedirect } from 'h3'
import { requestQuery } from '#fairway/server/kernel/http/request-info'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'
import type { CeremonyAnswer } from './ceremony-answer'

/** Answers with a page of desktop sign-in or sends the window on. */
export function sendCeremony(event: H3Event, answer: CeremonyAnswer) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  return sendRedirect(event, answer.location, 303)
}

/** The nonce in the address of the page that is asked for; empty when there is none. */
export const readNonce = (event: H3Event): string => new URLSearchParams(requestQuery(event)).get('nonce') ?? ''
