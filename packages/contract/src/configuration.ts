/** What the browser has to know before anybody is signed in (statement H1). */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';

export const Configuration = z.object({
  ClientId: z.string(),
  AuthBaseUrl: z.string(),
  TenantName: z.string(),
  SignInPolicy: z.string(),
  SignUpPolicy: z.string(),
  ResetPasswordPolicy: z.string(),
  ApiScopes: z.array(z.string()),
  SupportEmail: z.string(),
  GridLicenseKey: z.nullable(z.string()),
  ProductName: z.string(),
  /** The logo's address on this site; null while the product's own mark is shown. */
  LogoUrl: z.nullable(z.string()),
  /** The site's accent colour, such as `#0b6653`; null while each theme has its own. */
  AccentColor: z.nullable(z.string()),
  /** Parts for development run where the public can reach them: every page says so. */
  IsDemonstration: z.boolean(),
  /** Where the embedded provider listens (its metadata is fetched there); null with a real provider. */
  EmbeddedProviderUrl: z.nullable(z.string()),
});
export type Configuration = z.output<typeof Configuration>;

export const getConfiguration = defineRoute({
  method: 'GET',
  path: '/api/config',
  access: 'public',
  summary: 'What the browser has to know before anybody is signed in.',
  answer: Configuration,
});
