import { i18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { Globe } from './globe.tsx';

/** Login screen (A1). The build renders it into index.html, without lingui's macros, so that it appears before scripts load. */
export function LoginScreen({
  status = i18n._(/*i18n*/ { id: 'login.loading', message: 'Loading…' }),
  productName = 'Vestibule',
  logo,
  children,
}: {
  status?: string;
  productName?: string;
  /** URL of the site's logo. */
  logo?: string | null;
  /** Button if the user has to continue manually. */
  children?: ReactNode;
}) {
  return (
    <main className={children ? 'login login-paused' : 'login'}>
      <div className="login-brand">
        <BrandMark logo={logo} />
        <h1>{productName}</h1>
      </div>
      <Globe />
      <output className="login-status">{status}</output>
      {children}
      <noscript>
        <p className="login-status">
          {i18n._(
            /*i18n*/ {
              id: 'login.no-script',
              message: '{productName} needs JavaScript. Please switch it on and load this page again.',
              values: { productName },
            },
          )}
        </p>
      </noscript>
    </main>
  );
}
