/** First steps of an administrator on a new site; loaded only until all steps are done. */
import { t } from '@lingui/core/macro';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dismissOnboarding, type OnboardingStep } from '@vestibule/contract/dashboard';
import type { ReactNode } from 'react';
import { call } from '../../lib/call.ts';
import { QuietButton } from '../../ui/button.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';

function stepTexts(step: OnboardingStep['step']): { title: string; why: string; link: ReactNode } {
  switch (step) {
    case 'site':
      return {
        title: t`Name and logo`,
        why: t`Shown on every screen, in every e-mail and on the invitation.`,
        link: <Link to="/layout/settings/$section" params={{ section: 'site' }}>{t`Set name and logo`}</Link>,
      };
    case 'mail':
      return {
        title: t`Test e-mail`,
        why: t`Invitations are sent by e-mail. Make sure that one arrives.`,
        link: (
          <Link to="/layout/settings/$section" params={{ section: 'e-mail' }}>{t`Send a test e-mail`}</Link>
        ),
      };
    case 'provider':
      return {
        title: t`Sign-in provider`,
        why: t`The check finds what would keep people out, and how to fix it.`,
        link: (
          <Link to="/layout/settings/$section" params={{ section: 'provider' }}>{t`Check the provider`}</Link>
        ),
      };
    case 'invite':
      return {
        title: t`First people`,
        why: t`People can join only by invitation.`,
        link: <Link to="/layout/invitations" search={{ invite: true }}>{t`Invite the first people`}</Link>,
      };
  }
}

export default function FirstSteps({ steps }: { steps: readonly OnboardingStep[] }) {
  const client = useQueryClient();
  const dismiss = () =>
    runWithErrorToast(async () => {
      await call(dismissOnboarding);
      await client.invalidateQueries({ queryKey: ['dashboard', 'figures'] });
    });
  return (
    <Card
      title={t`First steps`}
      actions={<QuietButton onClick={dismiss}>{t`Do not show again`}</QuietButton>}
    >
      <ol className="first-steps">
        {steps.map(({ step, done }) => {
          const { title, why, link } = stepTexts(step);
          return (
            <li key={step}>
              {done ? (
                <IconCircleCheck className="first-steps-done" aria-hidden="true" />
              ) : (
                <IconCircle aria-hidden="true" />
              )}
              <div>
                <strong>
                  {title}
                  <span className="visually-hidden">: {done ? t`Done` : t`To do`}</span>
                </strong>
                {!done && (
                  <>
                    <p className="small-print">{why}</p>
                    {link}
                  </>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}
