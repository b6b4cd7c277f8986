/** Decorative logo of the product or the site. `className` sets the size of the site's logo. */
export function BrandMark({
  size = 28,
  logo = null,
  className = 'login-logo',
}: {
  size?: number;
  /** URL. */
  logo?: string | null | undefined;
  className?: string;
}) {
  if (logo) return <img className={className} src={logo} alt="" />;
  return (
    <svg className="brand-mark" viewBox="0 0 28 28" width={size} height={size} aria-hidden="true">
      <path className="brand-arch" d="M4 26V13a10 10 0 0 1 20 0v13z" />
      <path className="brand-door" d="M9 26V13.5A5.5 5.5 0 0 1 14.5 8v18z" />
      <circle className="brand-knob" cx="12.4" cy="17.6" r="1" />
    </svg>
  );
}
