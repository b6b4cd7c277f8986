import { i18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';
import { Globe } from './globe.tsx';

/**
 * The screen before the door (A1). It is written into index.html at build time, so that it shows before any script has
 * arrived; its look is in base.css. Its texts do without macros, which the build's own program does not know.
 */
export function LoginScreen({
  status = i18n._(/*i18n*/ { id: 'login.opening', message: 'Opening the door…' }),
  productName = 'Vestibule',
  logo,
  children,
}: {
  status?: string;
  productName?: string;
  /** The address of a picture that takes the place of our mark. */
  logo?: string | null;
  /** The button that goes on, where nothing goes on by itself. */
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
