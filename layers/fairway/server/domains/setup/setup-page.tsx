/** @jsxImportSource vue */
import { LanguageForm } from '#fairway/server/domains/sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { cardPage, notePage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { formatTime, type Language } from '#fairway/shared/languages'
import { SCRIPT, STYLE } from './parts'
import { STEPS } from './steps'
import type { Setup, Shown } from './visit'

/** Builds the page of the IT contact. It works without JavaScript. */
export function setupPage(app: App, setup: Setup, shown: Shown, language: Language): Promise<ServerPage> {
  const texts = messagesOf(language).setup
  const { orgName: organization, maker, email, expiresAt } = setup.link
  const until = formatTime(new Date(expiresAt), language, 'long', 'UTC')
  const children = [
    <p class="person">
      <strong>{email}</strong>
      <span>{fill(texts.until, { until })}</span>
    </p>,
    <p>{texts.decides}</p>,
    <nav aria-label={texts.overview}>
      <ol class="steps">
        {STEPS.map(step => (
          <li>
            <a href={`#${step.name}`}>{texts[step.name].title}</a>
            <State {...{ step, setup, language }} />
          </li>
        ))}
      </ol>
    </nav>,
    ...STEPS.map((step, at) => (
      <section class="step" id={step.name} aria-labelledby={`${step.name}-title`}>
        <h2 id={`${step.name}-title`}>
          {at + 1}. {texts[step.name].title}
          <State {...{ step, setup, language }} />
        </h2>
        {step.body({ setup, shown, language })}
      </section>
    )),
    <LanguageForm language={language} />,
  ]
  const lead = fill(texts.lead, { maker, organization, product: app.config.name })
  const title = fill(texts.title, { organization })
  return cardPage(app, { page: 'setup', title, lead, children, language, script: SCRIPT, style: STYLE })
}

/** How far a step is. */
function State({ step, setup, language }: { step: (typeof STEPS)[number]; setup: Setup; language: Language }) {
  const state = step.state(setup)
  const isDone = state === 'proved' || state === 'active'
  return <span class={['last', isDone && 'done']}>{messagesOf(language).setup.states[state]}</span>
}

/** Builds the page for a link that has ended or never existed; nobody learns which. */
export function overPage(app: App, language: Language): Promise<ServerPage> {
  const { title, lead } = messagesOf(language).setup.over
  return notePage(app, { title, lead, language })
}
