/** @jsxImportSource vue */
// The HTML of a mail. Mail programs know tables and inline styles; dark colours come from the style sheet where it is read.
import type { Accent } from '../config/brand'
import { MAIL_MARK } from '../config/brand'
import type { VNodeChild } from 'vue'
import type { Language } from '#fairway/shared/languages'
import type { Config } from '../config/config'

const FONT = 'font-family:system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;font-size:16px;line-height:1.5'
const MUTED = 'font-size:14px;color:#475569'
const WIDTH = 560

/** The dark colours of the card, as on the server's own pages. */
export const mailStyle = (accent: Accent): string =>
  `@media (prefers-color-scheme:dark){.ground{background:#0f172a!important}.card{background:#1e293b!important;border-color:#334155!important}.text,.text a{color:#f8fafc!important}.muted{color:#a3b1c6!important}.muted a{color:${accent[400]}!important}.line{border-color:#334155!important}}@media (max-width:480px){.pad{padding:24px 20px!important}}`

/** The content of a mail; the HTML and the text part are both made from it. */
export interface MailContent {
  /** The mail's name, for operators. */
  name: string
  /** English when not given. */
  language?: Language
  subject: string
  /** The headline; the subject when not given. */
  title?: string
  /** Paragraphs before the button. */
  lines: string[]
  /** What happened, when and where; a table below the paragraphs. */
  facts?: { label: string; value: string }[]
  /** The content between them and the button. */
  body?: VNodeChild
  action?: { label: string; href: string }
  /** The code below the button, with the place where it is entered. */
  code?: { label: string; value: string }
  /** Paragraphs after it: how long it is valid, and the next step for a mail that was not expected. */
  notes: string[]
  /** Why the receiver gets it. */
  because?: string
  /** The sentence before the button's address. */
  plainLink?: string
  /** The address for unsubscribing (RFC 8058: it accepts a POST). */
  unsubscribe?: { label: string; href: string }
}

export type MailConfig = Pick<Config, 'brand' | 'baseUrl'>

interface LayoutProps extends Pick<MailContent, 'action' | 'code' | 'because' | 'plainLink' | 'unsubscribe'> {
  direction: 'ltr' | 'rtl'
  title: string
  lines: string[]
  notes: string[]
  facts: { label: string; value: string }[]
  /** The rendered HTML of an author's body. */
  ownHtml: string
  config: MailConfig
}

const bare = { cellpadding: '0', cellspacing: '0', border: '0' }
const frame = { role: 'presentation', ...bare }

export function MailLayout(props: LayoutProps) {
  const { direction, title, lines, facts, ownHtml, action, notes, config } = props
  // Many mail programs drop the document's own element, and some know no logical values.
  const start = direction === 'rtl' ? 'right' : 'left'
  return (
    <body class="ground" style={`margin:0;padding:0;background:#f1f5f9;${FONT}`}>
      <table {...frame} width="100%" dir={direction} class="ground" style="background:#f1f5f9">
        <tr>
          <td align="center" style="padding:24px 12px">
            <table {...frame} width={WIDTH} class="card" style={cardStyle(start)}>
              <tr>
                <td class="pad text" align={start} style={`padding:32px;color:#0f172a;${FONT}`}>
                  <MailBrand {...config} />
                  <h1 style="margin:24px 0 12px;font-size:22px;line-height:1.3;font-weight:600">{title}</h1>
                  {lines.map(line => (
                    <p style="margin:0 0 16px">{line}</p>
                  ))}
                  {facts.length > 0 ? <Facts facts={facts} start={start} /> : null}
                  {ownHtml ? <div style="margin:0 0 16px" innerHTML={ownHtml} /> : null}
                  {action ? <Button {...props} action={action} /> : null}
                  {props.code ? <Code code={props.code} /> : null}
                  {notes.map(note => (
                    <p class="muted" style={`margin:0 0 12px;${MUTED}`}>
                      {note}
                    </p>
                  ))}
                </td>
              </tr>
            </table>
            <Foot {...props} />
          </td>
        </tr>
      </table>
    </body>
  )
}

const cardStyle = (start: string): string =>
  `width:100%;max-width:${WIDTH}px;background:#ffffff;border:1px solid #e2e8f0;border-radius:12px;text-align:${start}`

const CELL = 'padding:8px 0;border-bottom:1px solid #e2e8f0;vertical-align:top;'

const Facts = ({ facts, start }: Pick<LayoutProps, 'facts'> & { start: 'left' | 'right' }) => (
  <table {...bare} width="100%" style="margin:0 0 16px;font-size:14px;line-height:1.5">
    {facts.map(({ label, value }) => (
      <tr>
        <th class="muted line" align={start} style={`${CELL}width:32%;font-weight:400;color:#475569`}>
          {label}
        </th>
        <td class="line" align={start} style={`${CELL}padding-inline-start:12px;word-break:break-word`}>
          <bdi>{value}</bdi>
        </td>
      </tr>
    ))}
  </table>
)

function Button({ action, plainLink, config }: Pick<LayoutProps, 'plainLink' | 'config'> & NeededAction) {
  const colour = config.brand.accent[800]
  return (
    <>
      <p style="margin:24px 0 12px">
        <a
          href={action.href}
          style={`display:inline-block;padding:12px 24px;border-radius:8px;background:${colour};color:#ffffff;text-decoration:none;font-weight:600`}
        >
          <span style="color:#ffffff">{action.label}</span>
        </a>
      </p>
      {plainLink ? (
        <p class="muted" style="margin:0 0 24px;font-size:12px;color:#475569;word-break:break-all">
          {plainLink}
          <br />
          <a href={action.href} dir="ltr" style={`color:${colour}`}>
            {action.href}
          </a>
        </p>
      ) : null}
    </>
  )
}

interface NeededAction {
  action: NonNullable<MailContent['action']>
}

const Code = ({ code }: { code: NonNullable<MailContent['code']> }) => (
  <p style="margin:0 0 24px">
    {code.label}:
    <br />
    <strong dir="ltr" style="font-size:28px;letter-spacing:6px">
      {code.value}
    </strong>
  </p>
)

const Foot = ({ because, unsubscribe }: LayoutProps) =>
  because || unsubscribe ? (
    <p class="muted" style={`max-width:${WIDTH}px;margin:16px 0 0;padding:0 8px;font-size:12px;color:#475569`}>
      {because}
      {because && unsubscribe ? <br /> : null}
      {unsubscribe ? (
        <a href={unsubscribe.href} style="color:inherit">
          {unsubscribe.label}
        </a>
      ) : null}
    </p>
  ) : null

/** The product's mark and name. Mail programs show PNG files and omit SVG, so a product with an SVG logo has its first letter. */
const MailBrand = ({ brand, baseUrl }: MailConfig) => (
  <p style="margin:0;font-weight:600;line-height:32px">
    <MailMark brand={brand} baseUrl={baseUrl} />
    {brand.name}
  </p>
)

const MARK = 'height:32px;border-radius:8px;vertical-align:middle;margin-inline-end:12px'

function MailMark({ brand, baseUrl }: MailConfig) {
  const { logo, name, accent } = brand
  if (!logo) return <img src={baseUrl + MAIL_MARK} alt="" width="32" height="32" style={`width:32px;${MARK}`} />
  if (logo.light.endsWith('.png')) return <img src={baseUrl + logo.light} alt="" height="32" style={MARK} />
  const ground = `display:inline-block;width:32px;background:${accent[800]};color:#ffffff;text-align:center;${MARK}`
  return (
    <span aria-hidden="true" style={ground}>
      <span style="color:#ffffff">{[...name][0]?.toLocaleUpperCase()}</span>
    </span>
  )
}
