/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import { cardPage, noteAnswer } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import type { PageAnswer } from '../authorization-endpoint'
import { type DeviceRequest, shownUserCode } from './device-codes'

const textsOf = (language: Language = offered.defaultLanguage) => messagesOf(language).consent.device

/** Builds the page with the field for a code. It works without JavaScript. `isWrong` says that a code was typed and is not valid. */
export function codePage(app: App, isWrong: boolean, language: Language | undefined): Promise<ServerPage> {
  const texts = textsOf(language)
  const children = [
    // A form without an action sends the code to the page's own address.
    <form method="get">
      <div class="field">
        <label for="user-code">{texts.code}</label>
        <input
          id="user-code"
          name="user_code"
          class="code"
          dir="ltr"
          required
          autofocus
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength={40}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={isWrong ? 'wrong' : undefined}
        />
        {isWrong ? (
          <p class="fault" id="wrong" role="alert">
            {texts.wrong}
          </p>
        ) : null}
      </div>
      <button>{texts.next}</button>
    </form>,
    <p class="foot">{texts.onlyYours}</p>,
  ]
  const lead = fill(texts.lead, { product: app.config.name })
  return cardPage(app, { page: 'consent', title: texts.title, lead, children, language })
}

/** Whether a device asked from another network than that of its visitor. */
export const isFromElsewhere = ({ askedFrom }: DeviceRequest, clientAddress: string): boolean =>
  addressKey(askedFrom) !== addressKey(clientAddress)

interface DeviceFactsProps {
  request: DeviceRequest
  isElsewhere: boolean
  product: string
  language: Language | undefined
}

/** The warning, the code to compare and the origin of a request, for the consent page (RFC 8628 §3.3.1, RFC 10027). */
export function DeviceFacts({ request, isElsewhere, product, language }: DeviceFactsProps) {
  const texts = textsOf(language)
  return (
    <>
      <p class="banner">{fill(texts.warning, { product })}</p>
      <dl>
        <dt>{texts.compare}</dt>
        <dd>
          <strong class="code" dir="ltr">
            {shownUserCode(request.userCode)}
          </strong>
        </dd>
        <dt>{texts.askedFrom}</dt>
        <dd>
          <strong dir="ltr">{request.askedFrom}</strong> ({isElsewhere ? texts.otherNetwork : texts.sameNetwork})
        </dd>
      </dl>
    </>
  )
}

/** The response to a decision about a device. `ended`: it was decided before, or its ten minutes were over. */
export function deviceAnswer(
  app: App,
  outcome: 'approved' | 'refused' | 'ended',
  client: string,
  language: Language | undefined,
): Promise<PageAnswer> {
  const texts = textsOf(language)
  const { title, lead } = {
    approved: { title: texts.approvedTitle, lead: texts.approvedLead },
    refused: { title: texts.refusedTitle, lead: texts.refusedLead },
    ended: { title: texts.endedTitle, lead: texts.endedLead },
  }[outcome]
  return noteAnswer(app, outcome === 'ended' ? 410 : 200, { title, lead: fill(lead, { client }), language })
}
