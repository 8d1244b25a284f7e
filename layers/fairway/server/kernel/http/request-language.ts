// Apart from `request-info`, which the build reads too: the texts, and with them the languages, are made by the build.
import type { H3Event } from 'h3'
import { LANGUAGE_COOKIE } from '#fairway/shared/device'
import type { Language } from '#fairway/shared/languages'
import { languageOf } from '../messages'

const CHOSEN = new RegExp(`(?:^|; *)${LANGUAGE_COOKIE}=([\\w-]+)`)

/** The language that pages and mails answer this request in: the one chosen on the device, then the one its browser prefers, else English. */
export function requestLanguage(event: H3Event): Language {
  const { cookie = '', 'accept-language': preferred } = event.node.req.headers
  return languageOf(CHOSEN.exec(cookie)?.[1], languageOf(preferred))
}
