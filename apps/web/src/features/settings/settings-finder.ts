/** Sections and settings in the command palette. */
import { t } from '@lingui/core/macro';
import { IconSettings } from '@tabler/icons-react';
import type { Finder, FinderContext } from '../../lib/finder.ts';
import { areasFor } from './sections.ts';

export default function settingsFinder({ signInMethods }: FinderContext): Finder {
  const to = '/layout/settings/$section';
  return {
    title: t`Settings`,
    icon: IconSettings,
    order: 4,
    places: areasFor(signInMethods).flatMap(({ id, title, fields = [], also = [] }) => [
      { id: `settings-${id}`, label: title, detail: t`Settings`, target: { to, params: { section: id } } },
      ...fields.map(({ name, label, description }) => ({
        id: `setting-${name}`,
        label,
        detail: t`Settings › ${title}`,
        words: description ?? '',
        target: { to, params: { section: id }, search: { setting: name } },
      })),
      ...also.map((label) => ({
        id: `settings-${id}-${label}`,
        label,
        detail: t`Settings › ${title}`,
        target: { to, params: { section: id } },
      })),
    ]),
  };
}
