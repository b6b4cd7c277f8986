import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';

/** Message with one link, for pages outside of the application shell. */
export function LinkScreen({
  title,
  logo,
  action,
  children,
}: {
  title: string;
  /** URL of the site's logo. */
  logo?: string | null;
  action: { label: string; href: string };
  children: ReactNode;
}) {
  return (
    <main className="login">
      <div className="login-brand">
        <BrandMark logo={logo} />
        <h1>{title}</h1>
      </div>
      <p className="login-status">{children}</p>
      <a className="button button-primary button-medium" href={action.href}>
        {action.label}
      </a>
    </main>
  );
}
