import { getConfiguration } from '@vestibule/contract/configuration';
import { expect, test } from 'vitest';
import { createTestApp } from '../../test/test-app.ts';

test('the configuration names provider and product to everybody, and nothing else (H1, B3)', async () => {
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
    GridLicenseKey: 'key',
    ProductName: 'Portal',
    LogoUrl: null,
    AccentColor: null,
    IsDemonstration: false,
    EmbeddedProviderUrl: null,
  });
  await t.close();
});
