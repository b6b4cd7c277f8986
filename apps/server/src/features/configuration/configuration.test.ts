import { getConfiguration } from '@vestibule/contract/configuration';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';

test('the configuration contains the provider and product for all visitors, and nothing else (H1, B3)', async () => {
  const t = await createTestApp({ environment: { PRODUCT_NAME: 'Portal', GRID_LICENSE_KEY: 'key' } });
  expect((await t.call(getConfiguration, {})).body).toEqual({
    ClientId: '11111111-2222-4333-8444-555555555555',
    AuthBaseUrl: 'https://contoso.b2clogin.com',
    TenantName: 'contoso',
    SignInPolicy: 'B2C_1A_SignIn',
    SignUpPolicy: 'B2C_1A_SignUp_Invitation',
    ResetPasswordPolicy: 'B2C_1A_PasswordReset',
    ApiScopes: ['https://contoso.onmicrosoft.com/api/access'],
    SupportEmail: 'support@example.com',
    PrivacyUrl: null,
    ImprintUrl: null,
    GridLicenseKey: 'key',
    ProductName: 'Portal',
    LogoUrl: null,
    AccentColor: null,
    IsDemonstration: false,
    EmbeddedProviderUrl: null,
    Ways: [{ id: 'b2c', kind: 'b2c', name: 'Microsoft' }],
    KnowsDomains: false,
    HasOrganizations: false,
  });
  await t.close();
});

test('the configuration contains no B2C values and no secrets when only an OpenID Provider is configured (M1)', async () => {
  const t = await createTestApp({
    environment: {
      SIGN_IN_WITH: 'oidc',
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: 'https://login.acme.example',
      OIDC_ACME_CLIENT_ID: 'the id of the client',
      OIDC_ACME_CLIENT_SECRET: 'the secret of the client',
      OIDC_ACME_NAME: 'Acme staff',
    },
  });
  const { body, text } = await t.call(getConfiguration, {});
  expect(body).toMatchObject({ Ways: [{ id: 'acme', kind: 'oidc', name: 'Acme staff' }] });
  expect(body).not.toHaveProperty('ClientId');
  expect(text).not.toContain('of the client');
  await t.close();
});
