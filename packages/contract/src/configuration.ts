/** What the browser has to know before anybody is signed in (statement H1). */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';

/** A way to sign in. `name` is for people. Of `passkeys` there is one way, with mailed codes beside them. */
export const SignInMethod = z.object({
  id: z.string(),
  kind: z.enum(['b2c', 'oidc', 'passkeys']),
  name: z.string(),
});
export type SignInMethod = z.output<typeof SignInMethod>;

/** What the browser needs to sign in through Azure AD B2C itself. */
export const B2cConfiguration = z.object({
  ClientId: z.string(),
  AuthBaseUrl: z.string(),
  TenantName: z.string(),
  SignInPolicy: z.string(),
  SignUpPolicy: z.string(),
  ResetPasswordPolicy: z.string(),
  ApiScopes: z.array(z.string()),
  /** Where the embedded provider listens (its metadata is fetched there); null with a real provider. */
  EmbeddedProviderUrl: z.nullable(z.string()),
});
export type B2cConfiguration = z.output<typeof B2cConfiguration>;

export const Configuration = z.extend(z.partial(B2cConfiguration), {
  /** The ways to sign in, at least one. What belongs to B2C is there when one of them is of that kind. */
  Ways: z.array(SignInMethod),
  /** Whether the site knows by the domain of an address which way is its own. */
  KnowsDomains: z.boolean(),
  SupportEmail: z.string(),
  GridLicenseKey: z.nullable(z.string()),
  ProductName: z.string(),
  /** The logo's address on this site; null while the product's own mark is shown. */
  LogoUrl: z.nullable(z.string()),
  /** The site's accent colour, such as `#0b6653`; null while each theme has its own. */
  AccentColor: z.nullable(z.string()),
  /** Parts for development run where the public can reach them: every page says so. */
  IsDemonstration: z.boolean(),
});
export type Configuration = z.output<typeof Configuration>;

export const getConfiguration = defineRoute('GET /api/config', {
  access: 'public',
  summary: 'What the browser needs to know before anybody signs in.',
  answer: Configuration,
});
