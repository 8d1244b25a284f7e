const FIELD =
  ':is(input:not([type=file], [type=radio]:not(:checked), [tabindex="-1"]), textarea, [role=combobox], [role=checkbox]):enabled'

/**
 * Focuses the first field of an opened dialog, or the dialog itself. By default the close button gets the focus. A user who
 * opened the dialog with Enter would then close it with the next Enter.
 */
export function focusField(event: Event): void {
  const dialog = event.target
  if (!(dialog instanceof HTMLElement)) return
  event.preventDefault()
  ;(dialog.querySelector<HTMLElement>(FIELD) ?? dialog).focus()
}
