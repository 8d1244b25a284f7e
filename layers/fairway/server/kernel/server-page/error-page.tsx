/** @jsxImportSource vue */
import { errorCatalog } from '#fairway/shared/errors'
import type { AppError } from '../http/app-error'
import { type PageApp, renderPage, type ServerPage } from './render-page'

/** A page that says what happened, what to do next, and the id that finds the request in the log. */
export function errorPage(app: PageApp, error: AppError, requestId: string): Promise<ServerPage> {
  const { title } = errorCatalog[error.code]
  const body = (
    <div class="card">
      <h1>{title}</h1>
      <p class="lead">
        {error.status < 500 ? error.detail : 'Nothing you entered elsewhere is lost. Try again in a moment.'}
      </p>
      <a class="button" href="/">
        Go to the start page
      </a>
      <p class="foot">
        <small>
          {error.code} · {requestId}
        </small>
      </p>
    </div>
  )
  return renderPage(app, { page: 'error', title, language: 'en', body })
}
