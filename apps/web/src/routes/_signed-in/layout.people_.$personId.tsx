/** `/layout/people/…`: one person: who they are, what happened, and when they signed in (administrators only). */
import { t } from '@lingui/core/macro';
import { createFileRoute } from '@tanstack/react-router';
import { PersonTimeline } from '../../features/activity/person-timeline.tsx';
import { PersonFiles } from '../../features/attachments/person-files.tsx';
import { PersonScreen } from '../../features/people/person-screen.tsx';
import { Card } from '../../ui/shell/page.tsx';

export const Route = createFileRoute('/_signed-in/layout/people_/$personId')({
  staticData: { access: 'admin' },
  component: () => (
    <PersonScreen
      more={(person) => (
        <>
          <Card title={t`Files`}>
            <PersonFiles personId={person.id} />
          </Card>
          <Card title={t`What happened`}>
            <PersonTimeline person={person} />
          </Card>
        </>
      )}
    />
  ),
});
