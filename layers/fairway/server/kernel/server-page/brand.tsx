/** @jsxImportSource vue */
import type { Brand as BrandConfig, Logo } from '../config/brand'

/** The product's mark and name above the card. */
export const Brand = ({ brand }: { brand: BrandConfig }) => (
  <p class="brand">
    {brand.logo ? <Picture logo={brand.logo} /> : <Mark />}
    {brand.name}
  </p>
)

const Picture = ({ logo }: { logo: Logo }) => (
  <picture>
    {logo.dark === logo.light ? null : <source media="(prefers-color-scheme:dark)" srcset={logo.dark} />}
    <img src={logo.light} alt="" />
  </picture>
)

const Mark = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
    <path d="M6 21V4l12 4-12 4" />
    <path d="M4 21h16" />
  </svg>
)
