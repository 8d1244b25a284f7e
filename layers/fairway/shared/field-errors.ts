/**
 * The one catalog of field errors, in English: the faults of one field of an input. The code is stable; a placeholder is a
 * parameter, and of two forms the first is for one. Other languages have the same codes in `field-errors.json`.
 */
export const fieldErrors = {
  required: 'Enter a value.',
  'not-text': 'Enter text.',
  'broken-text': 'Remove the characters that cannot be stored.',
  'not-a-number': 'Enter a number.',
  'not-a-whole-number': 'Enter a whole number.',
  'not-a-boolean': 'Enter true or false.',
  'not-a-list': 'Enter a list.',
  'not-an-object': 'Enter an object in JSON.',
  'not-a-date': 'Enter a date, such as 2026-01-31.',
  'not-a-time': 'Enter a time, such as 09:30.',
  'not-a-datetime': 'Enter a date and time, such as 2026-01-31T09:30:00Z.',
  'not-an-email': 'Enter an email address.',
  'not-a-url': 'Enter a full web address, such as https://example.com.',
  'not-an-id': 'Enter a valid ID.',
  'wrong-format': 'This is not in the expected format.',
  'wrong-start': 'Start with “{start}”.',
  'wrong-end': 'End with “{end}”.',
  'missing-part': 'Include “{part}”.',
  'too-short': 'Use at least {least} character. | Use at least {least} characters.',
  'too-long': 'Use at most {most} character. | Use at most {most} characters.',
  'wrong-length': 'Use exactly {exactly} character. | Use exactly {exactly} characters.',
  'too-few': 'Add at least {least} entry. | Add at least {least} entries.',
  'too-many': 'Use at most {most} entry. | Use at most {most} entries.',
  'wrong-count': 'Use exactly {exactly} entry. | Use exactly {exactly} entries.',
  'too-small': 'Enter {least} or more.',
  'too-large': 'Enter {most} or less.',
  'not-above': 'Enter a number above {above}.',
  'not-below': 'Enter a number below {below}.',
  'not-a-multiple': 'Enter a multiple of {of}.',
  'too-early': 'Enter {least} or later.',
  'too-late': 'Enter {most} or earlier.',
  'not-an-option': 'Choose one of these: {options}.',
  'unknown-fields': 'Remove unknown fields: {fields}.',
  'upload-expired': 'This upload has expired. Upload the file again.',
  'no-such-file': 'This file cannot be used here. Upload it again.',
  'no-such-row': 'Nothing with this name or ID is there.',
  'several-rows': 'Several rows have this name. Enter the ID instead.',
  'no-member': 'No member of the organization has this address.',
  'no-team': 'The organization has no such team.',
  'name-taken': 'Another one has this name.',
  'already-there': 'A row with these values is there already.',
  'not-accepted': 'The table does not accept this row.',
  invalid: 'Enter a valid value.',
} as const satisfies Record<string, string>

export type FieldErrorCode = keyof typeof fieldErrors

/** Returns the parameters of a field error for its text: lists with commas between. */
export const shownParams = (params: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [value].flat().join(', ')]))
