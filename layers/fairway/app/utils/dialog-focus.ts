const FIELDS = 'input:not([type=file], [tabindex="-1"]), textarea, [role=combobox], [role=checkbox]'

/**
 * Where the focus goes when a dialog opens: to its first field, or to the dialog itself. Without it that would be the cross, and
 * whoever opened the dialog with Enter would close it with the next one.
 */
export function focusField(event: Event): void {
  const dialog = event.target
  if (!(dialog instanceof HTMLElement)) return
  event.preventDefault()
  const fields = [...dialog.querySelectorAll<HTMLInputElement>(FIELDS)].filter(field => !field.disabled)
  const [first] = fields
  const field = first?.type === 'radio' ? fields.find(({ name, checked }) => name === first.name && checked) : first
  ;(field ?? first ?? dialog).focus()
}
