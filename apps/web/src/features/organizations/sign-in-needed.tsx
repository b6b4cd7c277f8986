/** Shown instead of an organization's screens if it requires a sign-in through its provider (R8). */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { useRouter } from '@tanstack/react-router';
import { recoverOrganization, signInToOrganization } from '@vestibule/contract/organizations/connection';
import { useState } from 'react';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { Card, Page } from '../../ui/shell/page.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';

type Session = {
  /** Account signed in with B2C, whose token would be used instead of the organization's session. */
  account(): { email: string } | null;
  signOut(after: { nextSignIn: { forceLogin: true; address: string } }): Promise<void>;
};

export function SignInNeeded({
  organization: { name, slug, mayRecover },
  session,
}: {
  organization: ActiveOrganization;
  session: Session;
}) {
  const [isRecovering, setRecovering] = useState(false);
  const signIn = () =>
    runWithErrorToast(async () => {
      const account = session.account();
      if (account) return session.signOut({ nextSignIn: { forceLogin: true, address: account.email } });
      const { pathname, search } = window.location;
      const { url } = await call(signInToOrganization, {
        params: { slug },
        body: { returnTo: pathname + search, language: i18n.locale },
      });
      window.location.assign(url);
    });
  return (
    <Page title={t`Sign-in needed`}>
      <Card title={t`Sign in to ${name}`}>
        <div className="stack">
          <p>{t`${name} can be opened only after a sign-in through its own provider.`}</p>
          <div className="organization-actions">
            <Button variant="primary" onClick={signIn}>{t`Sign in with ${name}`}</Button>
            {mayRecover && <Button onClick={() => setRecovering(true)}>{t`Use the recovery code`}</Button>}
          </div>
        </div>
      </Card>
      {isRecovering && <RecoveryDialog slug={slug} onClose={() => setRecovering(false)} />}
    </Page>
  );
}

function RecoveryDialog({ slug, onClose }: { slug: string; onClose: () => void }) {
  const router = useRouter();
  const form = useForm<{ code: string }>({
    initial: { code: '' },
    validate: ({ code }): Record<string, string> =>
      code.trim() === '' ? { code: t`Enter the recovery code.` } : {},
    async onSubmit(body) {
      await call(recoverOrganization, { params: { slug }, body });
      toast.success(t`Single sign-on is no longer required.`);
      onClose();
      await router.invalidate();
    },
  });
  return (
    <FormDialog form={form} title={t`Recovery code`} onClose={onClose} submit={t`Open the organization`}>
      <p>
        {t`Use it if the provider does not work. All members can then open the organization without the provider, until it is required again.`}
      </p>
      <TextField
        label={t`Recovery code`}
        description={t`It was shown when single sign-on was made required.`}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        required
        {...form.text('code')}
      />
    </FormDialog>
  );
}
