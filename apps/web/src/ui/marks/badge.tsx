import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { BadgeTone } from './badge-tone.ts';
import '../states.css';

/** Status label. The color only repeats the meaning of the text. `hint` is the tooltip. */
export function Badge({
  tone = 'neutral',
  hint,
  children,
}: {
  tone?: BadgeTone;
  hint?: string | undefined;
  children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`} title={hint}>
      {children}
    </span>
  );
}

export function StateBadge({ of: { label, tone } }: { of: { label: string; tone: BadgeTone } }) {
  return <Badge tone={tone}>{label}</Badge>;
}

export function RoleBadge({ isAdmin }: { isAdmin: boolean }) {
  return <Badge {...(isAdmin && { tone: 'accent' })}>{isAdmin ? t`Administrator` : t`Member`}</Badge>;
}
