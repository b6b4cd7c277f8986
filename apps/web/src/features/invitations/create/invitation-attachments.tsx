/** Files of the inviting user that are shared with each recipient who joins. */
import { plural, t } from '@lingui/core/macro';
import { listAttachments } from '@vestibule/contract/attachments';
import { useId, useState } from 'react';
import { useApiQuery } from '../../../lib/use-api-query.ts';
import { CheckBox } from '../../../ui/fields/check-box.tsx';
import { Loading } from '../../../ui/states.tsx';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';

/** Number of latest files in the list. */
const maximumListed = 100;

export function InvitationAttachments({
  chosen,
  problem,
  onChange,
}: {
  /** Ids of files. */
  chosen: readonly string[];
  problem: string | undefined;
  onChange: (chosen: string[]) => void;
}) {
  const [isOpen, setOpen] = useState(chosen.length > 0);
  const problemId = useId();
  return (
    <details
      className="invite-section"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      aria-describedby={problem ? problemId : undefined}
    >
      <summary>
        {chosen.length === 0
          ? t`Welcome pack (optional)`
          : plural(chosen.length, { one: 'Welcome pack: # file', other: 'Welcome pack: # files' })}
      </summary>
      <p className="small-print">{t`Your files, shared with them as soon as they sign up.`}</p>
      {isOpen && <OwnFiles chosen={chosen} onChange={onChange} />}
      {problem && (
        <p id={problemId} className="invite-problem">
          {problem}
        </p>
      )}
    </details>
  );
}

function OwnFiles({ chosen, onChange }: { chosen: readonly string[]; onChange: (chosen: string[]) => void }) {
  const query = useApiQuery(listAttachments, {
    key: ['attachments', 'mine'],
    query: {
      limit: maximumListed,
      sort: 'createdAt',
      direction: 'desc',
      filters: JSON.stringify([
        { column: 'owner', is: 'oneOf', values: ['mine'] },
        { column: 'status', is: 'oneOf', values: ['ready'] },
      ]),
    },
  });
  if (!query.data) return <Loading query={query} title={t`Your files could not be loaded`} lines={3} />;
  const { rows } = query.data;
  const unlisted = chosen.filter((id) => rows.every((file) => file.id !== id));
  if (rows.length === 0 && unlisted.length === 0)
    return <p>{t`You have no files yet. Upload some under Attachments first.`}</p>;
  return (
    <ScrollRegion className="invite-files" label={t`Your files`}>
      {unlisted.length > 0 && (
        <CheckBox checked onChange={() => onChange(chosen.filter((id) => !unlisted.includes(id)))}>
          {plural(unlisted.length, {
            one: '# chosen file not listed here',
            other: '# chosen files not listed here',
          })}
        </CheckBox>
      )}
      {rows.map(({ id, name }) => (
        <CheckBox
          key={id}
          checked={chosen.includes(id)}
          onChange={(isChecked) =>
            onChange(isChecked ? [...chosen, id] : chosen.filter((fileId) => fileId !== id))
          }
        >
          {name}
        </CheckBox>
      ))}
    </ScrollRegion>
  );
}
