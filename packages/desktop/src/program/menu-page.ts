import type { MenuButton, MenuCommand, MenuView } from './menu-view'

/** The function that the page sends its commands through. */
export const MENU_SEND = '__fairwayMenuSend'

/** The empty page of the menu. It runs no script and loads no resource: the program draws its content. */
export const menuHtml = (language: string, direction: 'ltr' | 'rtl', title: string): string => `<!doctype html>
<html lang="${language}" dir="${direction}">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${CSS}</style>
<main></main>
</html>`

const CSS = `
:root { --ground: #fff; --text: #0f172a; --muted: #475569; --line: #cbd5e1; --accent: #166534; --on-accent: #fff; --bad: #b91c1c; --soft: #f1f5f9 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0f172a; --text: #f1f5f9; --muted: #a8b5c7; --line: #475569; --accent: #4ade80; --on-accent: #052e16; --bad: #fca5a5; --soft: #1e293b }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 36rem; margin: auto; padding: 24px }
h1 { margin: 0; font-size: 20px; line-height: 1.3 }
p { margin: 0 }
.muted { color: var(--muted) }
[role=status] { margin: 16px 0; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px }
[role=status] p:first-child { font-weight: 600 }
.notice { margin: 16px 0; color: var(--bad) }
ul { list-style: none; margin: 16px 0; padding: 0; border-top: 1px solid var(--line) }
li { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 8px 0; border-bottom: 1px solid var(--line) }
li > div { flex: 1; min-width: 10rem; overflow-wrap: anywhere }
.name { font-weight: 600 }
.state { padding: 2px 8px; border-radius: 8px; background: var(--soft); font-size: 14px }
.good { color: var(--accent) } .bad { color: var(--bad) }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 16px 0 }
button { min-height: 40px; padding: 0 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); color: var(--text); font: inherit; cursor: pointer }
button:hover { background: var(--soft) }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.danger { border-color: var(--bad); color: var(--bad) }
button:disabled { opacity: .6; cursor: default }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.hint { display: block }
label { display: flex; gap: 12px; align-items: flex-start; min-height: 40px }
input { width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent) }
`

/** An element of the page. The program sets text as text and attributes by name, so no value becomes markup. */
interface Element {
  tag: 'button' | 'div' | 'h1' | 'input' | 'label' | 'li' | 'p' | 'span' | 'ul'
  text?: string
  attributes?: Readonly<Record<string, string>>
  /** The command that a press or switch sends. */
  command?: MenuCommand
  children?: Element[]
}

/** The menu as elements. */
export function menuElements(view: MenuView): Element[] {
  return [
    { tag: 'h1', text: view.title },
    muted(view.hub),
    {
      tag: 'div',
      attributes: { id: 'status', role: 'status', tabindex: '-1', 'data-state': view.state },
      children: view.lines.map((text, index) => (index > 0 ? muted(text) : { tag: 'p', text })),
    },
    ...(view.notice ? [{ tag: 'p' as const, text: view.notice, attributes: { class: 'notice', role: 'alert' } }] : []),
    view.empty
      ? muted(view.empty)
      : { tag: 'ul', attributes: { 'aria-label': view.listName }, children: view.apps.map(rowOf) },
    { tag: 'div', attributes: { class: 'buttons' }, children: view.buttons.map(button => buttonOf(button)) },
    preferenceOf(view.preference),
    { tag: 'div', attributes: { class: 'buttons' }, children: [buttonOf(view.quit)] },
  ]
}

const muted = (text: string): Element => ({ tag: 'p', text, attributes: { class: 'muted' } })

const rowOf = ({ id, name, reason, state, tone, open }: MenuView['apps'][number]): Element => ({
  tag: 'li',
  attributes: { 'data-app': id },
  children: [
    {
      tag: 'div',
      children: [{ tag: 'p', text: name, attributes: { class: 'name' } }, ...(reason ? [muted(reason)] : [])],
    },
    ...(state ? [{ tag: 'span' as const, text: state, attributes: { class: `state ${tone}` } }] : []),
    buttonOf(open, `open-${id}`),
  ],
})

const buttonOf = ({ label, name, kind, isDisabled, command }: MenuButton, id = `do-${command.type}`): Element => ({
  tag: 'button',
  text: label,
  attributes: {
    id,
    type: 'button',
    class: kind,
    ...(name ? { 'aria-label': name } : {}),
    ...(isDisabled ? { disabled: '' } : {}),
  },
  command,
})

const preferenceOf = ({ label, text, isOn }: MenuView['preference']): Element => ({
  tag: 'label',
  children: [
    {
      tag: 'input',
      attributes: {
        id: 'enabled',
        type: 'checkbox',
        'aria-describedby': 'enabled-text',
        ...(isOn ? { checked: '' } : {}),
      },
      command: { type: 'set-enabled', isEnabled: !isOn },
    },
    {
      tag: 'span',
      children: [
        { tag: 'span', text: label },
        { tag: 'span', text, attributes: { id: 'enabled-text', class: 'muted hint' } },
      ],
    },
  ],
})

/**
 * Draws the menu, and returns whether a person could see it: a window that is hidden or closing never resolves it, and a later
 * draw replaces it. It runs in the page, so it cannot use other code of this file. It keeps the keyboard focus, and it keeps a
 * pressed button until release: a replaced button never receives its click.
 */
export async function drawMenu({ elements, send }: { elements: Element[]; send: string }): Promise<boolean> {
  const build = ({ tag, text, attributes = {}, command, children = [] }: Element): HTMLElement => {
    const element = document.createElement(tag)
    if (text !== undefined) element.textContent = text
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
    element.append(...children.map(build))
    if (command) {
      element.addEventListener(tag === 'input' ? 'change' : 'click', () => {
        const binding: unknown = Reflect.get(window, send)
        if (typeof binding === 'function') Reflect.apply(binding, undefined, [command])
      })
    }
    return element
  }
  const main = document.querySelector('main')
  if (!main) return false
  const turn = `${Number(main.dataset.turn ?? 0) + 1}`
  main.dataset.turn = turn
  while (main.querySelector(':active')) await new Promise(resolve => setTimeout(resolve, 20))
  // A later draw contains everything that this one would show.
  if (main.dataset.turn !== turn) return false
  const before = document.activeElement?.id
  main.replaceChildren(...elements.map(build))
  const again = before ? document.getElementById(before) : null
  // The pressed button may be gone; the keyboard focus moves to the outcome.
  if (before) (again?.matches(':enabled') ? again : document.getElementById('status'))?.focus()
  // The second frame begins after the first is on the screen.
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  return true
}
