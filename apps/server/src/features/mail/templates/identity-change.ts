/** The mails that tell somebody that another account signs them in, or that one does no longer. */
import type { MailLanguage } from '@vestibule/contract/settings/rules';
import type { Mail } from '../../../platform/mail/mail-queue.ts';
import { composeMail, type MailValues } from './layout.ts';

type IdentityChangeMailValues = MailValues & {
  change: 'added' | 'removed';
  /** What people call the way. */
  way: string;
};

const texts = {
  en: {
    added: {
      subject: (product: string, way: string) => `You can now sign in to ${product} with ${way}`,
      opening: (product: string, way: string) => `You can now sign in to ${product} with ${way} as well.`,
    },
    removed: {
      subject: (product: string, way: string) => `You can no longer sign in to ${product} with ${way}`,
      opening: (product: string, way: string) =>
        `You can no longer sign in to ${product} with your account at ${way}. Your other ways to sign in still work.`,
    },
    look: 'See your ways to sign in',
    closing: (support: string) =>
      `If neither you nor an administrator did this, remove anything you do not recognise from your profile, sign out everywhere, and write to ${support}.`,
  },
  de: {
    added: {
      subject: (product: string, way: string) => `Sie können sich jetzt mit ${way} bei ${product} anmelden`,
      opening: (product: string, way: string) =>
        `ab jetzt können Sie sich bei ${product} auch mit ${way} anmelden.`,
    },
    removed: {
      subject: (product: string, way: string) => `${way} meldet Sie nicht mehr bei ${product} an`,
      opening: (product: string, way: string) =>
        `mit einem Konto bei ${way} können Sie sich nicht mehr bei ${product} anmelden. Ihre anderen Anmeldewege bleiben.`,
    },
    look: 'Anmeldewege ansehen',
    closing: (support: string) =>
      `Falls weder Sie noch die Administration das getan haben: Entfernen Sie im Profil, was Sie nicht kennen, melden Sie sich überall ab, und schreiben Sie an ${support}.`,
  },
};

export function writeIdentityChangeMail(language: MailLanguage, values: IdentityChangeMailValues): Mail {
  const { productName, supportEmail, publicUrl } = values.site;
  const words = texts[language];
  const { subject, opening } = words[values.change];
  const paragraph = opening(productName, values.way);
  return composeMail(language, values, {
    subject: subject(productName, values.way),
    preheader: paragraph,
    parts: [{ paragraph }, { link: `${publicUrl}/layout/profile`, label: words.look }],
    closing: words.closing(supportEmail),
  });
}
