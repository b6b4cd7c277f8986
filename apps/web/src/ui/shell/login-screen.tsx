import { i18n } from '@lingui/core';
import type { ReactNode } from 'react';
import { BrandMark } from './brand-mark.tsx';

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
      <p className="login-slow">
        {i18n._(
          /*i18n*/ {
            id: 'login.slow',
            message:
              'Does this take long? Reload the page, or use a newer browser: Chrome or Edge 123, Firefox 128, Safari 17.5 or later.',
          },
        )}
      </p>
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

const meridians = [0, 1, 2, 3, 4, 5];
const latitudes = [-62, -38, 0, 38, 62];
const radius = 58;

/** Animated globe of the login screen (A1), in CSS only, so that it moves while scripts load. Meridians are half ellipses whose width follows a sine. */
function Globe() {
  return (
    <svg className="globe" viewBox="-70 -70 140 140" width="140" height="140" aria-hidden="true">
      <g transform="rotate(-16)">
        <circle className="globe-sphere" r={radius} />
        {latitudes.map((degrees) => {
          const y = Math.round(radius * Math.sin((degrees * Math.PI) / 180) * 10) / 10;
          const half = Math.round(Math.sqrt(radius * radius - y * y) * 10) / 10;
          return <path key={degrees} className="globe-line" d={`M${-half} ${y}H${half}`} />;
        })}
        {meridians.map((place) => (
          <path
            key={place}
            className="globe-line globe-meridian"
            d={`M0-${radius}A${radius} ${radius} 0 0 1 0 ${radius}`}
          />
        ))}
        <circle className="globe-place" cy="-22" r="4" />
      </g>
    </svg>
  );
}
