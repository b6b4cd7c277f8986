import { t } from '@lingui/core/macro';
import type { Configuration } from '@vestibule/contract/configuration';

/** Links to pages of the operator, if the settings have their addresses. */
export const operatorLinks = ({ PrivacyUrl, ImprintUrl }: Pick<Configuration, 'PrivacyUrl' | 'ImprintUrl'>) =>
  [
    { label: t`Privacy notice`, href: PrivacyUrl },
    { label: t`Legal notice`, href: ImprintUrl },
  ].filter((link): link is { label: string; href: string } => Boolean(link.href));
