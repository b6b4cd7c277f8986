/** The mails that tell somebody that another account signs them in, or that one does no longer. */
import type { MailValues } from './layout.ts';
import { composeMessage } from './message.ts';

type IdentityChangeMailValues = MailValues & {
  change: 'added' | 'removed';
  /** What people call the way. */
  way: string;
};

export const writeIdentityChangeMail = composeMessage<IdentityChangeMailValues>(
  {
    en: ({ site: { productName: product, supportEmail }, change, way }) => ({
      ...(change === 'added'
        ? {
            subject: `You can now sign in to ${product} with ${way}`,
            paragraphs: [`You can now sign in to ${product} with ${way} as well.`],
          }
        : {
            subject: `You can no longer sign in to ${product} with ${way}`,
            paragraphs: [
              `You can no longer sign in to ${product} with your account at ${way}. Your other ways to sign in still work.`,
            ],
          }),
      label: 'See your ways to sign in',
      closing: `If neither you nor an administrator did this, remove anything you do not recognise from your profile, sign out everywhere, and write to ${supportEmail}.`,
    }),
    de: ({ site: { productName: product, supportEmail }, change, way }) => ({
      ...(change === 'added'
        ? {
            subject: `Sie können sich jetzt mit ${way} bei ${product} anmelden`,
            paragraphs: [`ab jetzt können Sie sich bei ${product} auch mit ${way} anmelden.`],
          }
        : {
            subject: `${way} meldet Sie nicht mehr bei ${product} an`,
            paragraphs: [
              `mit einem Konto bei ${way} können Sie sich nicht mehr bei ${product} anmelden. Ihre anderen Anmeldewege bleiben.`,
            ],
          }),
      label: 'Anmeldewege ansehen',
      closing: `Falls weder Sie noch die Administration das getan haben: Entfernen Sie im Profil, was Sie nicht kennen, melden Sie sich überall ab, und schreiben Sie an ${supportEmail}.`,
    }),
  },
  ({ site }) => `${site.publicUrl}/layout/profile`,
);
