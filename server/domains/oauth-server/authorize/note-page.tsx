/** @jsxImportSource vue */
import type { App } from '#server/foundation/app-context'
import { Brand } from '#server/foundation/server-page/brand'
import { renderPage, type ServerPage } from '#server/foundation/server-page/render-page'

interface Note {
  title: string
  lead: string
  /** What exactly is wrong, for whoever builds the app. */
  detail?: string
  /** Stands small beside it, for support. */
  code?: string
  link: { href: string; text: string }
  /** What to do besides, for example the button that says no. */
  form?: { ticket: string; cancel: string }
}

/** A page that says what happened, and one thing to do next. */
export function notePage(app: App, { title, lead, detail, code, link, form }: Note): Promise<ServerPage> {
  const body = (
    <main>
      <Brand name={app.config.name} />
      <div class="card">
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {detail ? <p>{detail}</p> : null}
        <a class="button" href={link.href}>
          {link.text}
        </a>
        {form ? (
          <form method="post" class="below">
            <input type="hidden" name="ticket" value={form.ticket} />
            <button name="decision" value="deny" class="quiet">
              {form.cancel}
            </button>
          </form>
        ) : null}
        {code ? (
          <p class="foot">
            <small>{code}</small>
          </p>
        ) : null}
      </div>
    </main>
  )
  return renderPage({ title: `${title} · ${app.config.name}`, language: 'en', body })
}
