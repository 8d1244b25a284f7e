const NOTICE =
  'Sign-in is switched off here: everybody who opens this address is the same person and may change everything.'
const STYLE = 'margin:0;padding:8px 16px;background:#fef3c7;color:#78350f;font:14px/1.5 system-ui,sans-serif'

/** A page that says above everything else that nobody has to sign in. It stands outside of the application, which leaves it alone. */
export const withAuthDisabledNotice = (html: string): string =>
  html.replace(/<body[^>]*>/i, body => `${body}<p role="status" style="${STYLE}">${NOTICE}</p>`)
