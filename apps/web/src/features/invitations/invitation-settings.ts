/** Settings that affect invitations. */
import { activeOrganization } from '../../lib/active-organization.ts';
import { t } from '@lingui/core/macro';
import { getSettings } from '@vestibule/contract/settings';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { countDays, languageOptions, languages, lifetimeOptions } from './invitation-texts.ts';

/** Returns undefined until the settings are loaded; forms must work without them. */
export function useInvitationSettings() {
  const { data } = useApiQuery(getSettings, {
    key: ['settings', 'for-invitations'],
    // Members of an organization may not read the settings.
    enabled: activeOrganization() === null,
  });
  return data;
}

/** Returns the options for language and lifetime. The first option names the configured default. */
export function optionsFrom(settings: ReturnType<typeof useInvitationSettings>) {
  if (!settings) return { languages: languageOptions(), lifetimes: lifetimeOptions() };
  const defaultOption = (label: string, value: string) => ({ value: '', label: `${label}: ${value}` });
  const { mailLanguage, invitationLifetimeDays } = settings;
  return {
    languages: [defaultOption(t`Default`, languages()[mailLanguage.value]), ...languageOptions().slice(1)],
    lifetimes: [
      defaultOption(t`Default`, countDays(invitationLifetimeDays.value)),
      ...lifetimeOptions().slice(1),
    ],
  };
}
