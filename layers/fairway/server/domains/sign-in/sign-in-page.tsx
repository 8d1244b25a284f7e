/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { renderPage, type ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { createCache } from '#fairway/server/kernel/cache'
import { messagesOf } from '#fairway/server/kernel/messages'
import { LanguageForm, OutboxLink } from './page-parts'
import { OtherWays } from './other-ways'
import { passkeyScript, signInScript } from './page-scripts'
import { forms, Refusal } from './sign-in-forms'
import { offeredSections, sectionOf, type SignInPageState } from './sign-in-sections'

/** The page without personal content: identical for every browser, rendered once and cached. */
export function signInPage(app: App, state: Omit<SignInPageState, 'refused' | 'invited'>): Promise<ServerPage> {
  const pages = app.memo('sign-in-pages', () => createCache<Promise<ServerPage>>('pages', app.config.shortcuts))
  return pages.getOrSet(`${state.language} ${state.offersDev}`, () => renderSignIn(app, state))
}

/** The page for one browser, never cached: with an error and the person's input, or for an invited person. */
export const personalSignInPage = (app: App, state: SignInPageState): Promise<ServerPage> => renderSignIn(app, state)

function renderSignIn(app: App, state: SignInPageState): Promise<ServerPage> {
  const texts = messagesOf(state.language).signIn
  const offered = offeredSections(app)
  const wanted = sectionOf(app, state)
  const shown = offered.find(section => section === wanted) ?? offered[0]!
  // Hidden sections come first: the style sheet hides the sections after the one in the address.
  const order = [...offered.filter(section => section !== shown), shown]
  const body = (
    <div data-last={texts.lastUsed}>
      <div class="card steady">
        {order.map(section => {
          const Form = forms[section]
          return (
            <section class={section === shown ? 'switch-default' : 'switch'} id={section} key={section}>
              <Form app={app} state={state} />
            </section>
          )
        })}
        <OtherWays
          app={app}
          language={state.language}
          offersDev={state.offersDev}
          refusal={<Refusal state={state} intent="dev" fields={[]} />}
        />
        <OutboxLink app={app} language={state.language} />
      </div>
      <LanguageForm language={state.language} />
    </div>
  )
  return renderPage(app, {
    page: 'sign-in',
    title: texts.title,
    language: state.language,
    body,
    script: signInScript + passkeyScript,
  })
}
