/**
 * Returns how many smallest units make one unit of a currency (ISO 4217): 100 for EUR, 1 for JPY. Throws a RangeError for an
 * invalid code.
 */
export const minorUnits = (currency: string): number =>
  10 ** (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)
