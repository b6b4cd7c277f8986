import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { changeLogo, logoMaximumBytes } from '@vestibule/contract/settings';
import { useId, useRef, useState } from 'react';
import { toFormErrors } from '../../language/field-errors.ts';
import { formatSize } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import type { SettingsSection } from './form/setting-form.ts';

const kinds = ['image/png', 'image/jpeg', 'image/webp'];

export function LogoField({ settings, onSettings, onOvertaken }: SettingsSection) {
  const { value: logo, version } = settings.logo;
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const noteId = useId();
  const maximum = formatSize(logoMaximumBytes);

  const change = async (picture: string | null) => {
    setProblem(null);
    try {
      onSettings(await call(changeLogo, { body: { picture, version } }));
      toast.success(picture ? t`Logo changed.` : t`Logo removed.`);
    } catch (error) {
      setProblem(Object.values(toFormErrors(error))[0] ?? '');
      await onOvertaken();
    }
  };

  const take = async (file: File | undefined) => {
    if (!file) return;
    if (!kinds.includes(file.type))
      setProblem(t`${file.name} is not a PNG, JPEG or WebP image. Save it as one and try again.`);
    else if (file.size > logoMaximumBytes)
      setProblem(
        t`${file.name} is ${formatSize(file.size)}; the limit is ${maximum}. Make it smaller and try again.`,
      );
    else await change(await toBase64(file));
    // Allows selecting the same file again.
    if (input.current) input.current.value = '';
  };

  return (
    <fieldset className="settings-logo" aria-describedby={noteId}>
      <legend className="field-label">{t`Logo`}</legend>
      <span className="field-note" id={noteId}>
        <Trans>
          PNG, JPEG or WebP, at most {maximum}. Shown at the top of every screen and in e-mails; some e-mail
          programs do not show WebP.
        </Trans>
      </span>
      {logo && (
        <span className="settings-logo-frame">
          <img src={logo.path} alt={t`Current logo`} />
        </span>
      )}
      {problem && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t`Picture for the logo`}
        accept={kinds.join(',')}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <div className="settings-foot">
        <Button onClick={() => input.current?.click()}>
          {logo ? t`Choose another` : t`Choose a picture`}
        </Button>
        {logo && <Button onClick={() => change(null)}>{t`Remove`}</Button>}
      </div>
    </fieldset>
  );
}

async function toBase64(file: File): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve((reader.result as string).split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}
