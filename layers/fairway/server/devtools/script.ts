/** Refreshes a page in place: open details, the focus and the scroll position stay; `/` focuses the search field. */
export const script = `
(() => {
const field = document.getElementById('search')
const kept = { shown: '', timer: 0 }
const focusable = 'a[href],summary,button,[tabindex]'
async function refresh() {
  const view = document.getElementById('view')
  const picked = getSelection()
  if (document.hidden || (picked && !picked.isCollapsed)) return
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error()
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
    document.documentElement.removeAttribute('data-away')
    const fresh = next.getElementById('view')
    const key = fresh.innerHTML
    if (key === kept.shown) return
    kept.shown = key
    const open = new Set([...view.querySelectorAll('details[open]')].map(each => each.id))
    const active = document.activeElement
    const inside = view.contains(active)
    const row = inside && active.closest('[id]')
    const place = inside && row ? [...row.querySelectorAll(focusable)].indexOf(active) : -1
    const scrolled = [...view.querySelectorAll('.scroll')].map(each => each.scrollLeft)
    for (const each of fresh.querySelectorAll('details')) if (open.has(each.id)) each.open = true
    view.replaceChildren(...fresh.childNodes)
    view.querySelectorAll('.scroll').forEach((each, at) => { each.scrollLeft = scrolled[at] || 0 })
    if (place >= 0) document.getElementById(row.id)?.querySelectorAll(focusable)[place]?.focus({ preventScroll: true })
    for (const old of document.querySelectorAll('nav .count')) {
      const href = old.parentElement.getAttribute('href')
      const now = next.querySelector('nav a[href="' + href + '"] .count')
      if (now) old.textContent = now.textContent
    }
  } catch { document.documentElement.setAttribute('data-away', '') }
}
field.addEventListener('input', () => {
  clearTimeout(kept.timer)
  kept.timer = setTimeout(() => {
    const url = new URL(location.href)
    url.searchParams.delete('page')
    if (field.value) url.searchParams.set('q', field.value)
    else url.searchParams.delete('q')
    history.replaceState(null, '', url)
    refresh()
  }, 150)
})
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA/.test(event.target.tagName)) return
  event.preventDefault()
  field.focus()
  field.select()
})
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
setInterval(refresh, 2000)
addEventListener('visibilitychange', refresh)
})()
`.trim()
