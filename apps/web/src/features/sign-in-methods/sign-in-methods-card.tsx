/** The caller's accounts at providers, in the profile. */
import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SignInMethod } from '@vestibule/contract/configuration';
import { addIdentity, removeIdentity, type Identity } from '@vestibule/contract/sign-in/identities';
import type { ReactNode } from 'react';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { IdentityList, isAccount, nameOf, useIdentities } from './identity-list.tsx';

export function SignInMethodsCard({
  methods,
  redirectTo,
  more,
}: {
  methods: readonly SignInMethod[];
  /** Redirects to a provider. Returns a failure, or null if the user returned. */
  redirectTo: (findAddress: () => Promise<string>) => Promise<{ message: string } | null>;
  more?: ReactNode;
}) {
  const query = useIdentities(null);
  const open = query.data?.rows.filter(({ isOpen }) => isOpen) ?? [];
  const { dialog, ask } = useDialog(() => void query.refetch());

  const add = (method: SignInMethod) =>
    runWithErrorToast(async () => {
      const { url } = await call(addIdentity, {
        body: { way: method.id, returnTo: '/layout/profile?back=added', language: i18n.locale },
      });
      const failure = await redirectTo(async () => url);
      if (failure) toast.failure(failure);
    });

  const remove = (identity: Identity) => {
    const name = nameOf(identity);
    ask({
      title: t`Remove ${name}`,
      confirm: t`Remove`,
      danger: true,
      text: (
        <>
          <p>
            <Trans>
              You can no longer sign in with it, and every browser signed in with it is signed out. Your
              account at {identity.wayName} does not change. You are notified by e-mail.
            </Trans>
          </p>
          {identity.current && <p>{t`This browser is one of them.`}</p>}
        </>
      ),
      async act() {
        await call(removeIdentity, { params: { identityId: identity.id } });
        toast.success(t`You can no longer sign in with ${name}.`);
      },
    });
  };

  return (
    <Card
      title={t`Sign-in methods`}
      actions={methods.length > 0 && <AddButton methods={methods} onAdd={add} />}
    >
      <IdentityList
        query={query}
        isShown={isAccount}
        renderActions={(identity) =>
          // The last usable identity cannot be removed.
          open.some(({ id }) => id !== identity.id) && (
            <Button size="small" aria-label={t`Remove ${nameOf(identity)}`} onClick={() => remove(identity)}>
              {t`Remove`}
            </Button>
          )
        }
      />
      {more}
      {dialog}
    </Card>
  );
}

function AddButton({
  methods,
  onAdd,
}: {
  methods: readonly SignInMethod[];
  onAdd: (method: SignInMethod) => Promise<unknown>;
}) {
  const [only, ...others] = methods;
  if (only && others.length === 0) return <Button onClick={() => onAdd(only)}>{t`Add ${only.name}`}</Button>;
  return (
    <Menu items={methods.map((method) => ({ label: method.name, onSelect: () => void onAdd(method) }))}>
      <Button>{t`Add another`}</Button>
    </Menu>
  );
}
