/** What the settings say about invitations, for the screens that invite. */
import { useQuery } from '@tanstack/react-query';
import { getSettings } from '@vestibule/contract/settings';
import { call } from '../../lib/call.ts';
import { countOf, languageOptions, languages, lifetimeOptions } from './invitation-words.ts';

/** Undefined until they are here; a form works without them. */
export function useInvitationSettings() {
  const { data } = useQuery({
    queryKey: ['settings', 'for-invitations'],
    queryFn: ({ signal }) => call(getSettings, { signal }),
  });
  return data;
}

/** The choices of language and lifetime, the first with what the settings say. */
export function optionsFrom(settings: ReturnType<typeof useInvitationSettings>) {
  if (!settings) return { languages: languageOptions, lifetimes: lifetimeOptions };
  const named = (label: string, says: string) => ({ value: '', label: `${label}: ${says}` });
  const { mailLanguage, invitationLifetimeDays } = settings;
  return {
    languages: [named('As in the settings', languages[mailLanguage.value]), ...languageOptions.slice(1)],
    lifetimes: [
      named('As in the settings', countOf(invitationLifetimeDays.value, 'day')),
      ...lifetimeOptions.slice(1),
    ],
  };
}
