import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';

/** A screen with a sentence and one way on, for what is neither before nor behind the door. Loads no UI kit. */
export function LinkScreen({
  title,
  logo,
  action,
  children,
}: {
  title: string;
  /** The address of a picture that takes the place of our mark. */
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
