const FIELD =
  ':is(input:not([type=file], [type=radio]:not(:checked), [tabindex="-1"]), textarea, [role=combobox], [role=checkbox]):enabled'

/**
 * Where the focus goes when a dialog opens: to its first field, or to the dialog itself. Without it that would be the cross, and
 * whoever opened the dialog with Enter would close it with the next one.
 */
export function focusField(event: Event): void {
  const dialog = event.target
  if (!(dialog instanceof HTMLElement)) return
  event.preventDefault()
  ;(dialog.querySelector<HTMLElement>(FIELD) ?? dialog).focus()
}
