import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { changeLogo, logoMaximumBytes } from '@vestibule/contract/settings';
import { formatSize } from '../../language/formats.ts';
import { call } from '../../lib/call.ts';
import { PictureField } from '../../ui/fields/picture-field.tsx';
import { toast } from '../../ui/toast/toast.tsx';
import type { SettingsSection } from './form/section-form.tsx';

export function LogoField({ settings, onSettings, onOvertaken }: SettingsSection) {
  const { value: logo, version } = settings.logo;
  const maximum = formatSize(logoMaximumBytes);

  const change = async (picture: string | null) => {
    try {
      onSettings(await call(changeLogo, { body: { picture, version } }));
      toast.success(picture ? t`Logo changed.` : t`Logo removed.`);
    } catch (error) {
      void onOvertaken();
      throw error;
    }
  };

  return (
    <PictureField
      label={t`Logo`}
      note={
        <Trans>
          PNG, JPEG or WebP, at most {maximum}. Shown at the top of every screen and in e-mails; some e-mail
          programs do not show WebP.
        </Trans>
      }
      inputLabel={t`Picture for the logo`}
      pictureLabel={t`Current logo`}
      picture={logo?.path ?? null}
      maximumBytes={logoMaximumBytes}
      onChange={change}
    />
  );
}
