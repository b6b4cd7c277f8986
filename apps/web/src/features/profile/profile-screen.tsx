/** `/layout/profile`: the user's own data and settings. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { getProfile, downloadMyData } from '@vestibule/contract/profile';
import { SignInsCard } from './sign-ins-card.tsx';
import { formatDay } from '../../language/formats.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { personOrEmail } from '../../lib/person-or-email.ts';
import { CardRow, Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { PersonCell, Address } from '../../ui/person/person.tsx';
import { RoleBadge } from '../../ui/marks/badge.tsx';
import { ThemePicker } from '../../ui/themes/theme-picker.tsx';
import './profile.css';
import { i18n } from '@lingui/core';
import { chooseLanguage, languages, readLanguageChoice } from '../../language/language.ts';
import { SelectField } from '../../ui/fields/field.tsx';
import { openStream } from '../../lib/call.ts';
import { saveFile } from '../../ui/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { toast, runWithErrorToast } from '../../ui/toast/toast.tsx';

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
  const profile = useApiQuery(getProfile, { key: ['profile'], refetchOnMount: 'always' });
  const inviter = profile.data ? personOrEmail(profile.data.invitedBy, profile.data.inviter) : null;

  return (
    <Page title={t`Profile`} description={user.Email}>
      <CardRow>
        <Card title={t`My details`}>
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
            {hasPasskeys ? (
              t`This is the address you were invited with. You cannot change it or your name here.`
            ) : (
              <Trans>
                Name and password belong to your account at the sign-in service, and the address is the one
                you were invited with. None of these can be changed here.
              </Trans>
            )}
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
    </Page>
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
      const answer = await openStream(downloadMyData, { accept: 'application/json', signal });
      const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
      saveFile(await answer.blob(), name ?? 'my-data.json');
      toast.success(t`Your data is in your downloads.`);
    });
  return (
    <Card title={t`My data`}>
      <p className="card-lead">
        <Trans>
          Everything this site knows about you, in one file (JSON): your details and choices, sign-ins with
          their network addresses, invitations, the list of your files, and what the activity log says about
          you.
        </Trans>
      </p>
      <Button onClick={download}>{t`Download my data`}</Button>
    </Card>
  );
}

/** Returns a language's own name, such as "Deutsch". */
function languageName(language: string): string {
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
}
