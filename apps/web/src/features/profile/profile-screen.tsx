/** `/layout/profile`: the user's own data and settings. */
import { t } from '@lingui/core/macro';
import { Trans, Plural } from '@lingui/react/macro';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { getProfile, downloadMyData, signOutEverywhere, type OwnSignIn } from '@vestibule/contract/profile';
import { changeMyName } from '@vestibule/contract/people/details';
import { formatDay } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { PersonCell, Address } from '../../ui/person/person.tsx';
import { RoleBadge, Badge } from '../../ui/marks/badge.tsx';
import { ThemePicker } from '../../ui/themes/theme-picker.tsx';
import './profile.css';
import { i18n } from '@lingui/core';
import { chooseLanguage, languages, readLanguageChoice } from '../../language/language.ts';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { openStream, call } from '../../lib/call.ts';
import { saveFile } from '../../ui/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';
import { signInText } from '../../lib/sign-in/sign-in-text.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { CheckBox } from '../../ui/fields/check-box.tsx';
import { RecordList } from '../../ui/record-list.tsx';

const route = getRouteApi('/_signed-in/layout/profile');

export function ProfileScreen({
  access,
  organizations,
  hasPasskeys,
}: {
  /** Whether the site has passkeys. With passkeys, the site itself stores the name. */
  hasPasskeys: boolean;
  /** Sign-in methods and sessions; absent if B2C is the only sign-in method. */
  access?: ReactNode;
  /** Absent on a site without organizations. */
  organizations?: ReactNode;
}) {
  const { user } = route.useRouteContext();
  const [isRenaming, setRenaming] = useState(false);
  const profile = useApiQuery(getProfile, { key: ['profile'], refetchOnMount: 'always' });
  const inviter = profile.data ? personOrEmail(profile.data.invitedBy, profile.data.inviter) : null;

  return (
    <Page title={t`Profile`} description={user.Email}>
      <CardRow>
        <Card
          title={t`My details`}
          actions={<Button onClick={() => setRenaming(true)}>{t`Change name`}</Button>}
        >
          <Facts
            items={[
              { name: t`Name`, value: user.DisplayName },
              { name: t`E-mail`, value: <Address of={user.Email} /> },
              { name: t`Role`, value: <RoleBadge isAdmin={user.IsAdmin} /> },
              { name: t`Member since`, value: profile.data ? formatDay(profile.data.joinedAt, 'long') : '…' },
              ...(inviter ? [{ name: t`Invited by`, value: <PersonCell person={inviter} /> }] : []),
            ]}
          />
          <p className="profile-quiet small-print">
            {hasPasskeys
              ? t`Administrators can change your address.`
              : t`Administrators can change your address. Your password belongs to your account at the sign-in service.`}
          </p>
        </Card>
        {!profile.data && (
          <Card title={t`My sign-ins`}>
            <Loading query={profile} title={t`Your sign-ins could not be loaded`} lines={4} />
          </Card>
        )}
        {profile.data && <SignInsCard {...profile.data} onSignedOut={() => profile.refetch()} />}
      </CardRow>
      {organizations}
      {access && <CardRow>{access}</CardRow>}
      <Card title={t`Look and language`}>
        <p className="card-lead">
          <Trans>
            Kept for you in every browser.{' '}
            <span className="of-keys">Ctrl+Alt and a digit changes the look anywhere.</span>
          </Trans>
        </p>
        <ThemePicker />
        <div className="profile-language">
          <LanguageField />
        </div>
      </Card>
      <MyDataCard />
      {isRenaming && <NameDialog onClose={() => setRenaming(false)} />}
    </Page>
  );
}

function NameDialog({ onClose }: { onClose: () => void }) {
  const { user, session } = route.useRouteContext();
  const router = useRouter();
  const form = useForm({
    initial: { displayName: user.DisplayName },
    async onSubmit(body) {
      await call(changeMyName, { body });
      await session.loadUser();
      await router.invalidate();
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={t`Change name`} width={560} onClose={onClose} submit={t`Save`}>
      <TextField
        label={t`Name`}
        description={t`Other people see it with your files and in lists.`}
        autoComplete="name"
        required
        {...form.text('displayName')}
      />
    </FormDialog>
  );
}

/** Whether the user is changing the language. The change remounts the screen, and the new field then takes the focus. */
let isChoosing = false;

function LanguageField() {
  const [choice, setChoice] = useState(readLanguageChoice);
  const field = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    if (isChoosing) field.current?.focus();
    isChoosing = false;
  }, []);
  const choose = async (language: string | null) => {
    const before = i18n.locale;
    isChoosing = true;
    try {
      await chooseLanguage(language);
    } catch {
      toast.failure(t`The language could not be loaded. Check your connection and try again.`);
    }
    if (i18n.locale === before) isChoosing = false;
    setChoice(readLanguageChoice());
  };
  return (
    <SelectField
      ref={field}
      label={t`Language`}
      description={t`For all screens and the e-mails you get.`}
      value={choice ?? ''}
      options={[
        { value: '', label: t`Browser default` },
        ...languages.map((language) => ({ value: language, label: languageName(language) })),
      ]}
      onChange={(event) => void choose(event.currentTarget.value || null)}
    />
  );
}

function MyDataCard() {
  const download = () =>
    runWithErrorToast(async () => {
      const { signal } = new AbortController();
      const response = await openStream(downloadMyData, { accept: 'application/json', signal });
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
      saveFile(await response.blob(), name ?? 'my-data.json');
      toast.success(t`Your data is in your downloads.`);
    });
  return (
    <Card title={t`My data`}>
      <p className="card-lead">
        <Trans>
          Everything this site stores about you, in one file (JSON): your details and choices, sign-ins with
          their network addresses, invitations, the list of your files, and what the activity log says about
          you.
        </Trans>
      </p>
      <Button onClick={download}>{t`Download my data`}</Button>
    </Card>
  );
}

/** Returns a language's own name, such as "Deutsch". */
const languageName = (language: string): string =>
  new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;

const maximumSignIns = 50;

function SignInsCard({
  signIns,
  workingTokens,
  onSignedOut,
}: {
  signIns: OwnSignIn[];
  workingTokens: number;
  /** Called after the user was signed out everywhere. Must call the server: the refusal of that call signs out this page, too. */
  onSignedOut: () => Promise<unknown>;
}) {
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Card
      title={t`My sign-ins`}
      actions={<Button onClick={() => setConfirming(true)}>{t`Sign out everywhere`}</Button>}
    >
      <p className="card-lead">
        <Trans>
          See something that was not you? Sign out everywhere, then remove passkeys that are not yours, and
          change the passwords of the accounts with which you sign in.
        </Trans>
      </p>
      <RecordList
        label={t`Sign-ins`}
        empty={t`None yet.`}
        entries={signIns.map((signIn) => ({
          id: signIn.id,
          text: <Moment at={signIn.at} />,
          detail: signInText(signIn),
          badges: (
            <>
              {signIn.current && <Badge tone="accent">{t`This browser`}</Badge>}
              {signIn.ended && <Badge>{t`Signed out`}</Badge>}
            </>
          ),
        }))}
      />
      {signIns.length >= maximumSignIns && (
        <p className="profile-quiet small-print">{t`Older ones are not kept.`}</p>
      )}
      {isConfirming && (
        <SignOutDialog
          workingTokens={workingTokens}
          onSignedOut={onSignedOut}
          onClose={() => setConfirming(false)}
        />
      )}
    </Card>
  );
}

function SignOutDialog({
  workingTokens,
  onSignedOut,
  onClose,
}: {
  workingTokens: number;
  onSignedOut: () => Promise<unknown>;
  onClose: () => void;
}) {
  const [revokeTokens, setRevokeTokens] = useState(false);
  const signOut = async () => {
    const isDone = await runWithErrorToast(async () => {
      await call(signOutEverywhere, { body: { revokeTokens } });
      await onSignedOut();
    });
    if (!isDone) onClose();
  };
  return (
    <ConfirmDialog
      title={t`Sign out everywhere`}
      confirm={t`Sign out everywhere`}
      danger
      onClose={onClose}
      onConfirm={signOut}
    >
      <p>
        <Trans>
          You are signed out of every browser immediately, including this one. Anything not saved there is
          lost. Then sign in again.
        </Trans>
      </p>
      {workingTokens > 0 && (
        <CheckBox className="profile-tokens" checked={revokeTokens} onChange={setRevokeTokens}>
          <Plural
            value={workingTokens}
            one="Revoke my access token as well. Otherwise it keeps working."
            other="Revoke my # access tokens as well. Otherwise they keep working."
          />
        </CheckBox>
      )}
    </ConfirmDialog>
  );
}
