/** Frame of all screens after sign-in: navigation, user menu, and the panel for the screen. */
import { t } from '@lingui/core/macro';
import { IconMenu2 } from '@tabler/icons-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { DockRegion } from '../toast/dock.tsx';
import { PageTitleContext, pageTitleId } from './page-title.ts';
import { PersonMenu, type PersonMenuProps } from '../menu/person-menu.tsx';
import '../fields/checks.css';
import './shell.css';

type ShellProps = {
  productName: string;
  /** URL of the site's logo. */
  logo?: string | null;
  menu: readonly { to: string; label: string; icon: ReactNode }[];
  /** Links to pages outside of the site, below the navigation. */
  links: readonly { label: string; href: string }[];
  /** Shown next to the user menu. */
  tools?: ReactNode;
  /** Renders a router link. Must set `aria-current="page"` on the link of the current screen. */
  renderLink: (link: {
    to: string;
    className: string;
    onClick?: () => void;
    children: ReactNode;
  }) => ReactNode;
  /** A change starts the slide animation (G2) and focuses the new screen. */
  routePath: string;
  /** The next screen is loading. */
  isLeaving?: boolean;
  children: ReactNode;
} & PersonMenuProps;

/** Below 45 rem a button opens the navigation. */
export function Shell({
  productName,
  logo,
  menu,
  links,
  tools,
  renderLink,
  routePath,
  isLeaving = false,
  children,
  ...personMenu
}: ShellProps) {
  const navId = useId();
  const main = useRef<HTMLElement>(null);
  const previousPath = useRef(routePath);

  useEffect(() => {
    if (previousPath.current === routePath) return;
    previousPath.current = routePath;
    // Moves the focus to the new screen, so that screen readers and keyboard continue there.
    main.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [routePath]);

  const closeNav = () => {
    const nav = document.getElementById(navId);
    if (nav?.matches(':popover-open')) nav.hidePopover();
  };
  const brand = (
    <>
      <BrandMark size={24} logo={logo} className="shell-logo" />
      {/* Long names are truncated on narrow screens. */}
      <span className="one-line" title={productName}>
        {productName}
      </span>
    </>
  );

  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        {t`Skip to content`}
      </a>
      <header className="shell-top">
        <button type="button" className="icon-button shell-burger" popoverTarget={navId} aria-label={t`Menu`}>
          <IconMenu2 size={22} stroke={1.75} aria-hidden="true" />
        </button>
        {menu[0] && renderLink({ to: menu[0].to, className: 'shell-brand', children: brand })}
        {tools}
        <PersonMenu {...personMenu} />
      </header>
      {isLeaving && <progress className="shell-loading" aria-label={t`Loading…`} />}
      {/* On narrow screens the navigation is a popover. */}
      <nav id={navId} popover="auto" className="shell-nav" aria-label={t`Main`}>
        <ul>
          {menu.map(({ to, label, icon }) => (
            <li key={to}>
              {renderLink({
                to,
                className: 'nav-link shell-link',
                onClick: closeNav,
                children: (
                  <>
                    <span className="shell-icon" aria-hidden="true">
                      {icon}
                    </span>
                    {label}
                  </>
                ),
              })}
            </li>
          ))}
        </ul>
        {links.length > 0 && (
          <p className="shell-links">
            {links.map(({ label, href }) => (
              <a key={label} href={href} target="_blank" rel="noreferrer">
                {label}
              </a>
            ))}
          </p>
        )}
      </nav>
      <main ref={main} id="main" className="shell-main" aria-labelledby={pageTitleId} tabIndex={-1}>
        <PageTitleContext value={productName}>
          <div key={routePath} className="shell-panel">
            {children}
          </div>
        </PageTitleContext>
      </main>
      <DockRegion />
    </div>
  );
}
