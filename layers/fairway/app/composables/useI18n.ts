/** The texts of the page in the reader’s language, written as in [vue-i18n](https://vue-i18n.intlify.dev/guide/essentials/syntax): `t` and `te`, `n` and `d` for numbers and times, and the `locale`. */
export const useI18n = () => useNuxtApp().$texts
