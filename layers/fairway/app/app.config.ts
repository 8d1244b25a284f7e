const OVERLAY = 'bg-slate-950/45'
// A disabled button must look different from an enabled one.
const OFF = 'disabled:bg-accented disabled:text-muted disabled:opacity-100'

export default defineAppConfig({
  ui: {
    colors: { primary: 'fairway', neutral: 'slate', warning: 'amber', error: 'red' },
    button: {
      slots: { base: 'duration-150' },
      defaultVariants: { size: 'lg' },
      compoundVariants: [
        {
          color: 'primary',
          variant: 'solid',
          class: `bg-(--fw-fill) text-(--fw-on-fill) hover:bg-(--fw-fill-hover) active:bg-(--fw-fill-hover) ${OFF}`,
        },
        { color: 'error', variant: 'solid', class: `hover:bg-error/90 active:bg-error/90 ${OFF}` },
        { color: 'neutral', variant: 'ghost', class: 'text-toned' },
      ],
    },
    input: { slots: { root: 'w-full' }, defaultVariants: { size: 'lg' } },
    inputNumber: { defaultVariants: { size: 'lg' } },
    textarea: { slots: { root: 'w-full' }, defaultVariants: { size: 'lg' } },
    select: { slots: { base: 'w-full' }, defaultVariants: { size: 'lg' } },
    selectMenu: { defaultVariants: { size: 'lg' } },
    inputMenu: { defaultVariants: { size: 'lg' } },
    formField: { slots: { error: 'mt-1.5', help: 'mt-1.5' } },
    card: {
      slots: { root: 'shadow-(--shadow-card)', header: 'p-4 sm:px-5', body: 'p-4 sm:p-5', footer: 'p-4 sm:px-5' },
    },
    modal: {
      // A long title ends before the close button.
      slots: { wrapper: 'min-w-0 pe-8', title: 'text-base', footer: 'justify-end gap-2' },
      variants: { overlay: { true: { overlay: OVERLAY } } },
    },
    slideover: { slots: { wrapper: 'min-w-0 pe-8', title: 'text-base', overlay: OVERLAY } },
    radioGroup: { slots: { fieldset: 'gap-5' } },
    badge: { variants: { size: { xs: { base: 'text-xs' }, sm: { base: 'text-xs' } } } },
  },
})
