import path from 'node:path';
import { inviteTokenIssuer } from '../features/invitations/link/invite-token.ts';
import { composeMail } from '../features/mail/templates/layout.ts';
import type { SettingsStore } from '../features/settings/settings-store.ts';
import type { Config } from '../platform/config/read-config.ts';
import { b2cVariables } from '../platform/config/sign-in-methods.ts';
import { newId } from '../platform/database/new-id.ts';
import type { SendMail } from '../platform/mail/mail-queue.ts';
import { importDevelopmentService, waitUntilListening } from './startup-errors.ts';

/** The embedded provider has one client, this application, and trusts its invite tokens. */
export async function startEmbeddedProvider(
  config: Config,
  embedded: NonNullable<Config['embeddedProvider']>,
  deps: { sendMail: SendMail; settings: SettingsStore },
): Promise<{ close(): Promise<void> }> {
  const { startB2cEmulator } = await importDevelopmentService(
    () => import('@vestibule/b2c-emulator'),
    `The sign-in service for development is not part of this installation. Say how people sign in: SIGN_IN_WITH=passkeys with your mail server in SMTP_URL, a provider in OIDC_PROVIDERS, or Azure AD B2C in ${b2cVariables.join(', ')}.`,
  );
  const { publicUrl } = config;
  const provider = config.provider as NonNullable<Config['provider']>;
  return waitUntilListening(
    startB2cEmulator(
      {
        tenant: provider.tenantName,
        tenantId: embedded.tenantId,
        policies: {
          [provider.signInPolicy]: 'sign-in',
          [provider.signUpPolicy]: 'sign-up',
          [provider.resetPasswordPolicy]: 'reset-password',
        },
        clients: [
          {
            clientId: provider.clientId,
            redirectUris: [`${publicUrl}/`],
            postLogoutRedirectUris: [`${publicUrl}/`, `${publicUrl}/error`, `${publicUrl}/signup`],
            scopes: provider.apiScopes,
          },
        ],
        hintIssuer: {
          metadataUrl: `${publicUrl}/.well-known/openid-configuration`,
          issuer: inviteTokenIssuer(publicUrl),
          audience: provider.clientId,
        },
        lifetimes: embedded.lifetimes,
        port: embedded.port,
        host: config.developmentPartsHost,
        // The configuration has checked that this is permitted.
        allowPublicAddress: true,
        publicUrl: provider.url,
        databaseFile: path.join(config.dataDirectory, 'identity-provider.json'),
      },
      {
        async brand() {
          const { productName, logo } = await deps.settings.current();
          return { name: productName, logo: logo && publicUrl + logo.path };
        },
        async sendMail({ to, subject, text }) {
          const messageId = `<${newId()}@${new URL(publicUrl).hostname}>`;
          const [code = '', closing = ''] = text.trim().split('\n\n');
          const mail = composeMail(
            'en',
            { to: { name: '', address: to }, site: { ...(await deps.settings.current()), publicUrl } },
            { subject, preheader: code, parts: [{ paragraph: code }], closing },
          );
          await deps.sendMail(mail, messageId);
        },
      },
    ),
    { IDP_PORT: embedded.port },
    'DEVELOPMENT_PARTS_HOST',
  );
}
