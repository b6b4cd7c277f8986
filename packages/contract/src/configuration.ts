import * as z from 'zod/mini';
import { defineRoute } from './route.ts';

/** Sign-in method with its display name. A site has at most one method `passkeys`, which includes e-mailed codes. */
export const SignInMethod = z.object({
  id: z.string(),
  kind: z.enum(['b2c', 'oidc', 'passkeys']),
  name: z.string(),
});
export type SignInMethod = z.output<typeof SignInMethod>;

export const B2cConfiguration = z.object({
  ClientId: z.string(),
  AuthBaseUrl: z.string(),
  TenantName: z.string(),
  SignInPolicy: z.string(),
  SignUpPolicy: z.string(),
  ResetPasswordPolicy: z.string(),
  ApiScopes: z.array(z.string()),
  /** Address of the embedded provider's metadata; null if the provider is not the embedded one. */
  EmbeddedProviderUrl: z.nullable(z.string()),
});
export type B2cConfiguration = z.output<typeof B2cConfiguration>;

export const Configuration = z.extend(z.partial(B2cConfiguration), {
  /** Sign-in methods, at least one. The B2C properties are present if a method has the kind `b2c`. */
  Ways: z.array(SignInMethod),
  /** Whether the sign-in method depends on the domain of the e-mail address, by a rule of the site or the connection of an organization. */
  KnowsDomains: z.boolean(),
  /** Whether the site has organizations. */
  HasOrganizations: z.boolean(),
  SupportEmail: z.string(),
  /** Addresses of the privacy notice and of the legal notice; null for no link. */
  PrivacyUrl: z.nullable(z.string()),
  ImprintUrl: z.nullable(z.string()),
  GridLicenseKey: z.nullable(z.string()),
  ProductName: z.string(),
  /** Null for the product's logo. */
  LogoUrl: z.nullable(z.string()),
  /** Color such as `#0b6653`; null for the color of each theme. */
  AccentColor: z.nullable(z.string()),
  /** Whether development components are publicly reachable. If so, every page shows a banner. */
  IsDemonstration: z.boolean(),
});
export type Configuration = z.output<typeof Configuration>;

export const getConfiguration = defineRoute('GET /api/config', {
  access: 'public',
  summary: 'The public configuration: sign-in methods, product name, logo and support address.',
  response: Configuration,
});
