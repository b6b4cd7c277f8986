/** Shows below a field where the setting's value comes from, and a button that resets the value to the default. */
import { t } from '@lingui/core/macro';
import { changeSettings, type Settings } from '@vestibule/contract/settings';
import type { SettingName, SettingsChange } from '@vestibule/contract/settings/rules';
import { formatDay } from '../../../language/formats.ts';
import { call } from '../../../lib/call.ts';
import { QuietButton } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast/toast.tsx';
import { runWithErrorToast } from '../../../ui/toast/run-with-error-toast.ts';
import type { SettingsSection } from './setting-form.ts';
import { useTechnicalNames } from '../technical-names.ts';
import { toInlineText, type SettingValue } from './setting-text.ts';

export function SettingSource({
  section: { settings, onSettings, onOvertaken },
  name,
  label,
  options = [],
}: {
  section: SettingsSection;
  name: SettingName;
  label: string;
  options?: readonly { value: string; label: string }[] | undefined;
}) {
  const { default: fallback, variable, version, changed } = settings[name];
  const technical = useTechnicalNames();
  if (!changed) return <p className="setting-source">{sourceOf(variable, technical)}</p>;

  const called = (value: SettingValue) =>
    options.find((option) => option.value === String(value))?.label ?? toInlineText(value);

  const reset = async () => {
    const isDone = await runWithErrorToast(async () => {
      const body: SettingsChange = { [name]: null, versions: { [name]: version } };
      const next: Settings = await call(changeSettings, { body });
      onSettings(next);
      toast.success(t`${label} is ${called(next[name].value)} again.`);
    });
    if (!isDone) await onOvertaken();
  };
  return (
    <p className="setting-source">
      {t`Changed by ${changed.byName ?? changed.by} on ${formatDay(changed.at)}.`}{' '}
      <QuietButton onClick={reset} aria-label={t`Reset to ${called(fallback)}: ${label}`}>
        {t`Reset to ${called(fallback)}`}
      </QuietButton>
    </p>
  );
}

function sourceOf(variable: string | null, technical: boolean): string {
  if (!variable) return t`The default.`;
  return technical ? t`From the server’s configuration (${variable}).` : t`From the server’s configuration.`;
}
