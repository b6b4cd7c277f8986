import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { listSignInMethods, type SignInMethodState } from '@vestibule/contract/sign-in';
import { formatMessage } from '../../../language/format-message.ts';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { methodLabel } from '../../../lib/sign-in/sign-in-text.ts';
import { Loading } from '../../../ui/states.tsx';
import { Moment } from '../../../ui/time/moment.tsx';
import { RecordList } from '../../../ui/record-list.tsx';
import { SectionForm, type SettingsSection } from '../form/section-form.tsx';
import type { SettingField } from '../form/setting-fields.ts';

const useSignInMethods = () => useApiQuery(listSignInMethods, { key: ['sign-in-ways'] });

/** Link to the migrations; shown only if there is another method to migrate to. */
export function MigrationsLink() {
  const methods = useSignInMethods();
  if ((methods.data?.rows.length ?? 0) <= 1) return null;
  return (
    <Link to="/layout/people/move" className="button button-secondary button-medium">
      {t`Move people`}
    </Link>
  );
}

export function SignInSection({ fields, ...section }: SettingsSection & { fields: readonly SettingField[] }) {
  const methods = useSignInMethods();
  return (
    <div className="stack">
      <div>
        <Loading query={methods} title={t`The sign-in methods could not be loaded.`} lines={2} />
        {methods.data && (
          <RecordList
            entries={methods.data.rows.map((method) => ({
              id: method.id,
              text: method.kind === 'passkeys' ? methodLabel(method.name) : `${method.name} (${method.host})`,
              detail: <MethodState {...method} />,
            }))}
          />
        )}
        <p className="setting-source">{t`The sign-in methods are set on the server, not here.`}</p>
      </div>
      <SectionForm section={section} area="sign-in" fields={fields} />
    </div>
  );
}

/** State of a method. With B2C, the server records only the first call after a sign-in, but neither failures nor sessions. */
function MethodState({ kind, lastSuccessAt, lastFailureAt, lastFailure }: SignInMethodState) {
  const isB2c = kind === 'b2c';
  return (
    <>
      {isB2c && <>{t`The browser keeps the sign-in; there are no sessions here.`} </>}
      {lastSuccessAt === null ? (
        !isB2c && t`No sign-ins yet.`
      ) : (
        <Trans>
          Last sign-in: <Moment at={lastSuccessAt} />.
        </Trans>
      )}
      {lastFailureAt !== null && lastFailure !== null && (
        <>
          {' '}
          <Trans>
            Last failure: <Moment at={lastFailureAt} />. {formatMessage(lastFailure)}
          </Trans>
        </>
      )}
    </>
  );
}
