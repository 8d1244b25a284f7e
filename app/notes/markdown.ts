// Renders Markdown as Vue elements. User text never becomes HTML, so it cannot run code.
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens, type TokensList } from 'marked'
import { h, type VNodeChild } from 'vue'

/** Labels of task checkboxes for screen readers. */
export interface TaskLabels {
  done: string
  open: string
}

type Draw = (tokens: readonly Token[] | undefined) => VNodeChild[]
type Renderers = {
  [Type in MarkedToken['type']]?: (token: Extract<MarkedToken, { type: Type }>) => VNodeChild
}

/** Above this number of marks in one paragraph, emphasis is ignored: matching the marks would block the page. */
const MOST_MARKS = 2000
/** The maximum nesting of lists and quotes. */
const MOST_LEVELS = 20
/** The limit of remaining characters, summed over the pieces of all paragraphs: each piece may scan all of them. */
const MOST_INLINE = 30_000_000
/** The cost of an unmatched mark for each remaining character: it is compared with every possible closing mark. */
const FAILED_MARK = 10
/** The minimum cost of a piece: a table of wide rows has cells that no author has written. */
const LEAST = 500
/** The rules for line ends and links try each position in such a run. */
const LONG_RUN = /[ \t]{1000}/
const PROTOCOLS = ['http:', 'https:', 'mailto:']

/** Renders Markdown as elements. HTML stays text, pictures become links, and links may lead only to http, https and mailto. */
export function renderMarkdown(text: string, labels: TaskLabels): VNodeChild[] {
  const draw: Draw = tokens => (tokens ?? []).map(token => drawToken(token))
  const renderers: Renderers = { ...blocks(draw), ...inlines(draw), list: token => list(token, draw, labels) }

  function drawToken(token: Token): VNodeChild {
    const render = renderers[token.type as MarkedToken['type']] as ((token: Token) => VNodeChild) | undefined
    return render ? render(token) : token.raw
  }

  const plain = () => [h('p', { class: 'whitespace-pre-line' }, text)]
  if (LONG_RUN.test(text)) return plain()
  if (text.split(/\n\s*\n/).some(part => part.replace(/[^*_]/g, '').length > MOST_MARKS)) return plain()
  try {
    return draw(new BoundedLexer().lex(text))
  } catch {
    // No handwritten text reaches this limit.
    return plain()
  }
}

/** Throws for a text that would take too long: some of marked's rules take quadratic time. */
class BoundedLexer extends Lexer {
  #levels = 0
  #inline = 0

  constructor() {
    const tokenizer = new Tokenizer()
    super({ gfm: true, breaks: true, tokenizer })
    // Each piece of a paragraph tries this rule first.
    tokenizer.escape = src => {
      this.#spend(src.length)
      return Tokenizer.prototype.escape.call(tokenizer, src)
    }
    // Without this check, it reads everything below a line of dashes before it finds that this is no table.
    tokenizer.table = src =>
      /^[^\n]*\n[^\n]*[:|]/.test(src) ? Tokenizer.prototype.table.call(tokenizer, src) : undefined
    tokenizer.emStrong = (src, ...rest) => this.#mark(src, Tokenizer.prototype.emStrong.call(tokenizer, src, ...rest))
    tokenizer.del = (src, ...rest) => this.#mark(src, Tokenizer.prototype.del.call(tokenizer, src, ...rest))
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[] {
    if (++this.#levels > MOST_LEVELS) throw new RangeError('nested too deep')
    const parsed = super.blockTokens(src, tokens, isClipped)
    this.#levels--
    return parsed
  }

  override inline(...inlineArguments: Parameters<Lexer['inline']>): Token[] {
    this.#spend(LEAST)
    return super.inline(...inlineArguments)
  }

  #mark<Found>(src: string, token: Found): Found {
    if (!token && /^[*_~]/.test(src)) this.#spend(src.length * FAILED_MARK)
    return token
  }

  #spend(characters: number): void {
    this.#inline += Math.max(characters, LEAST)
    if (this.#inline > MOST_INLINE) throw new RangeError('too many pieces')
  }
}

const blocks = (draw: Draw): Renderers => ({
  space: () => null,
  def: () => null,
  hr: () => h('hr'),
  // The note's title is the first heading of its page.
  heading: ({ depth, tokens }) => h(`h${Math.min(depth + 1, 6)}`, draw(tokens)),
  paragraph: ({ tokens }) => h('p', draw(tokens)),
  blockquote: ({ tokens }) => h('blockquote', draw(tokens)),
  code: ({ text }) => h('pre', { tabindex: 0 }, h('code', text)),
  html: ({ block, text }) => (block ? h('p', { class: 'whitespace-pre-line' }, text.trim()) : text),
  table: ({ header, rows }) =>
    h('div', { class: 'overflow-x-auto', tabindex: 0 }, [
      h('table', [
        h('thead', h('tr', cells('th', header, draw))),
        h(
          'tbody',
          rows.map(row => h('tr', cells('td', row, draw))),
        ),
      ]),
    ]),
})

const cells = (tag: 'th' | 'td', row: readonly Tokens.TableCell[], draw: Draw) =>
  row.map(({ tokens }) => h(tag, draw(tokens)))

const inlines = (draw: Draw): Renderers => ({
  text: ({ tokens, text }) => (tokens ? draw(tokens) : decoded(text)),
  escape: ({ text }) => text,
  br: () => h('br'),
  strong: ({ tokens }) => h('strong', draw(tokens)),
  em: ({ tokens }) => h('em', draw(tokens)),
  del: ({ tokens }) => h('del', draw(tokens)),
  codespan: ({ text }) => h('code', text),
  link: ({ href, tokens }) => link(href, draw(tokens)),
  image: ({ href, text }) => link(href, [text || href]),
})

function list({ ordered, start, items }: Tokens.List, draw: Draw, labels: TaskLabels): VNodeChild {
  const entries = items.map(({ task, checked = false, tokens }) => {
    if (!task) return h('li', draw(tokens))
    const box = h('input', {
      type: 'checkbox',
      checked,
      disabled: true,
      'aria-label': checked ? labels.done : labels.open,
    })
    return h('li', { class: 'task' }, [box, ' ', draw(tokens.filter(({ type }) => type !== 'checkbox'))])
  })
  return ordered ? h('ol', { start: start === '' ? undefined : start }, entries) : h('ul', entries)
}

/** A link, or only its text unless it leads to a page or a mailbox. */
function link(href: string, children: VNodeChild[]): VNodeChild {
  const protocol = URL.parse(href)?.protocol
  if (!protocol || !PROTOCOLS.includes(protocol)) return h('span', children)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, children)
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
}

/** Decodes the HTML entities that people type. Others stay unchanged. */
const decoded = (text: string): string => text.replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
