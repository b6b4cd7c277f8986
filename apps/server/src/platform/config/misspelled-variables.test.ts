import { expect, test } from 'vitest';
import { findMisspelledVariables } from './misspelled-variables.ts';

test.each([
  ['MAIL_FORM', 'MAIL_FROM'],
  ['SMTP_URI', 'SMTP_URL'],
  ['TRUST_PROXIES', null],
  ['TRUSTPROXY', 'TRUST_PROXY'],
  ['OIDC_ACME_SCOPE', 'OIDC_ACME_SCOPES'],
  ['OIDC_ACME_CLIENT_SECRET_FLIE', 'OIDC_ACME_CLIENT_SECRET_FILE'],
  ['OIDC_ACME_SCOPES', null],
  ['OIDC_ACMI_SCOPES', null],
  ['OIDC_PROVIDRES', 'OIDC_PROVIDERS'],
  ['MAIL_FROM', null],
  ['DATABASE_URL_FILE', null],
  ['PORTS', null],
  ['HOSTNAME', null],
  ['NODE_ENV', null],
])('the name %s is reported as a misspelled %s', (name, meant) => {
  expect(findMisspelledVariables(['acme'], { [name]: 'x' })).toEqual(
    meant === null ? [] : [`${name} is not a variable of this server. Did you mean ${meant}?`],
  );
});
