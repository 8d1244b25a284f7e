/** @jsxImportSource vue */

/** The product's mark and name above the card. */
export const Brand = ({ name }: { name: string }) => (
  <p class="brand">
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d="M6 21V4l12 4-12 4" />
      <path d="M4 21h16" />
    </svg>
    {name}
  </p>
)
