import { createSSRApp, Fragment, h, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import type { Brand } from '../config/brand'

/** The pages that the server renders itself. `note` explains an event and the next step, in many places. */
export const SERVER_PAGES = [
  'sign-in',
  'check-mail',
  'second-factor',
  'email-link',
  'consent',
  'claim',
  'setup',
  'approval',
  'desktop',
  'outbox',
  'note',
  'error',
] as const
export type ServerPageName = (typeof SERVER_PAGES)[number]

/** The input for a frame. */
export interface PageFrameInput {
  page: ServerPageName
  /** The language of the page, which its frame must also use. */
  language: string
  brand: Brand
  /** The product's mark and name, as the platform shows them. */
  mark: VNode
  /** The page itself, which the frame must show. */
  content: VNode
}

/** An application's frame around the pages that the server renders. */
export interface PageFrame {
  render(input: PageFrameInput): VNode
  /** More rules for the page's style sheet; the content security policy allows no others. */
  style: string
}

/** The frames of an application: `frame` around every page, a frame with a page's name instead of it. */
export type PageFrames = Partial<Record<ServerPageName | 'frame', PageFrame>>

/** Declares the frame of the server's own pages (server/pages/frame.tsx), or of one of them (server/pages/<name>.tsx). */
export function definePageFrame(render: PageFrame['render'], options: { style?: string } = {}): PageFrame {
  const { style = '' } = options
  if (/<\/style/i.test(style)) throw new Error('definePageFrame: style must not end the style sheet (</style)')
  return { render, style: style.trim() }
}

/** Returns whether `definePageFrame` made a value. */
export const isPageFrame = (value: unknown): value is PageFrame =>
  typeof value === 'object' &&
  value !== null &&
  'render' in value &&
  typeof value.render === 'function' &&
  'style' in value

const plainFrame = definePageFrame(({ mark, content }) => h(Fragment, [mark, content]))

interface FramedPage {
  page: ServerPageName
  language: string
  brand: Brand
  mark: VNode
  body: VNode
}

/** Returns the frame of a page. */
export const frameOf = (frames: PageFrames, page: ServerPageName): PageFrame =>
  frames[page] ?? frames.frame ?? plainFrame

/** Returns the HTML of a page inside its frame; throws where the frame omits the page. */
export async function renderInFrame(frame: PageFrame, { body, ...page }: FramedPage): Promise<string> {
  let shown = 0
  const Content = () => {
    shown += 1
    return body
  }
  const Framed = () => frame.render({ ...page, content: h(Content) })
  const html = await renderToString(createSSRApp({ render: () => h('main', [h(Framed)]) }))
  if (shown === 1) return html
  throw new Error(`the frame of the page ${page.page} must show its content once, and shows it ${shown} times`)
}
