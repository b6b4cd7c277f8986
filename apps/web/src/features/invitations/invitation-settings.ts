/** What the settings say about invitations, for the screens that invite. */
import { t } from '@lingui/core/macro';
import { getSettings } from '@vestibule/contract/settings';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { countDays, languageOptions, languages, lifetimeOptions } from './invitation-texts.ts';

/** Undefined until they are here; a form works without them. */
export function useInvitationSettings() {
  const { data } = useApiQuery(getSettings, { key: ['settings', 'for-invitations'] });
  return data;
}

/** The choices of language and lifetime, the first with what the settings say. */
export function optionsFrom(settings: ReturnType<typeof useInvitationSettings>) {
  if (!settings) return { languages: languageOptions(), lifetimes: lifetimeOptions() };
  const named = (label: string, says: string) => ({ value: '', label: `${label}: ${says}` });
  const { mailLanguage, invitationLifetimeDays } = settings;
  return {
    languages: [named(t`Default`, languages()[mailLanguage.value]), ...languageOptions().slice(1)],
    lifetimes: [named(t`Default`, countDays(invitationLifetimeDays.value)), ...lifetimeOptions().slice(1)],
  };
}
