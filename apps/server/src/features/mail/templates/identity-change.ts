/** Mails about an added or removed sign-in method. */
import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

type IdentityChangeMailValues = MailValues & {
  change: 'added' | 'removed';
  /** Label of the sign-in method. */
  methodLabel: string;
};

export const writeIdentityChangeMail = composeMessage<IdentityChangeMailValues>(
  {
    en: ({ site: { productName: product, supportEmail }, change, methodLabel }) => ({
      ...(change === 'added'
        ? {
            subject: `You can now sign in to ${product} with ${methodLabel}`,
            paragraphs: [`You can now sign in to ${product} with ${methodLabel} as well.`],
          }
        : {
            subject: `You can no longer sign in to ${product} with ${methodLabel}`,
            paragraphs: [
              `You can no longer sign in to ${product} with your account at ${methodLabel}. Your other ways to sign in still work.`,
            ],
          }),
      label: 'See your ways to sign in',
      closing: `If neither you nor an administrator did this, remove anything you do not recognise from your profile, sign out everywhere, and write to ${supportEmail}.`,
    }),
    de: ({ site: { productName: product, supportEmail }, change, methodLabel }) => ({
      ...(change === 'added'
        ? {
            subject: `Sie können sich jetzt mit ${methodLabel} bei ${product} anmelden`,
            paragraphs: [`ab jetzt können Sie sich bei ${product} auch mit ${methodLabel} anmelden.`],
          }
        : {
            subject: `${methodLabel} meldet Sie nicht mehr bei ${product} an`,
            paragraphs: [
              `mit einem Konto bei ${methodLabel} können Sie sich nicht mehr bei ${product} anmelden. Ihre anderen Anmeldewege bleiben.`,
            ],
          }),
      label: 'Anmeldewege ansehen',
      closing: `Falls weder Sie noch die Administration das getan haben: Entfernen Sie im Profil, was Sie nicht kennen, melden Sie sich überall ab, und schreiben Sie an ${supportEmail}.`,
    }),
  },
  ({ site }) => `${site.publicUrl}/layout/profile`,
);
