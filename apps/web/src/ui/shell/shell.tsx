/**
 * The frame around every screen behind the door: navigation, the person's menu, and the panel that the screen slides
 * into. Not for what a screen itself shows (page.tsx) nor for who may see which entry.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconMenu2 } from '@tabler/icons-react';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { DockRegion } from '../toast/dock.tsx';
import { PageTitleContext } from './page-title-context.ts';
import { PersonMenu, type PersonMenuProps } from '../menu/person-menu.tsx';
import '../fields/checks.css';
import './shell.css';

/** One entry of the navigation. */
type ShellEntry = {
  to: string;
  label: string;
  icon: ReactNode;
};

/** What `Shell` takes. */
type ShellProps = {
  productName: string;
  /** The address of a picture that takes the place of our mark. */
  logo?: string | null;
  menu: readonly ShellEntry[];
  /** What stands at the top beside the person's menu. */
  tools?: ReactNode;
  /** The router's link; it must set `aria-current="page"` on the entry of the present screen. */
  renderLink: (link: {
    to: string;
    className: string;
    onClick?: () => void;
    children: ReactNode;
  }) => ReactNode;
  /** The path of the present screen: a change lets the new screen slide in (G2) and moves the focus to it. */
  routePath: string;
  /** The next screen is being fetched: said when it takes a while. */
  isLeaving?: boolean;
  children: ReactNode;
} & PersonMenuProps;

/** The application's shell. Below 720 px the navigation is behind a button at the top. */
export function Shell({
  productName,
  logo,
  menu,
  tools,
  renderLink,
  routePath,
  isLeaving = false,
  children,
  ...personMenu
}: ShellProps) {
  const navId = useId();
  const main = useRef<HTMLElement>(null);
  const before = useRef(routePath);

  useEffect(() => {
    if (before.current === routePath) return;
    before.current = routePath;
    // Screen readers and the keyboard go on at the new screen, not at the link that led there.
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
      {/* A long name is cut on a small screen. */}
      <span className="one-line" title={productName}>
        {productName}
      </span>
    </>
  );

  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        <Trans>Skip to content</Trans>
      </a>
      <header className="shell-top">
        <button type="button" className="icon-button shell-burger" popoverTarget={navId} aria-label={t`Menu`}>
          <IconMenu2 size={22} stroke={1.75} aria-hidden="true" />
        </button>
        {menu[0] && renderLink({ to: menu[0].to, className: 'shell-brand', children: brand })}
        {tools}
        <PersonMenu {...personMenu} />
      </header>
      {isLeaving && (
        <label className="shell-loading">
          <Trans>Loading…</Trans>
          <progress />
        </label>
      )}
      {/* A popover on narrow screens: light dismissal, Esc and the top layer come with it. */}
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
      </nav>
      <main ref={main} id="main" className="shell-main" tabIndex={-1}>
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
