/** Choice of what happens to the files of removed people. */
import { t } from '@lingui/core/macro';
import { fileRetentionDays, type RemovalFileOptions } from '@vestibule/contract/people/removed';
import { Choice } from '../../ui/fields/choice.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import './people.css';

export function FilesChoice({
  value,
  onChange,
}: {
  value: RemovalFileOptions;
  onChange: (value: RemovalFileOptions) => void;
}) {
  const { files = 'handOver', handOverTo = '' } = value;
  return (
    <div className="people-stack">
      <div>
        <p className="field-label">{t`What happens to the files`}</p>
        <Choice
          label={t`What happens to the files`}
          options={[
            { value: 'handOver', label: t`Hand over` },
            { value: 'delete', label: t`Delete them after ${fileRetentionDays} days` },
          ]}
          value={files}
          onChange={(chosen) => onChange({ files: chosen })}
        />
      </div>
      {files === 'handOver' ? (
        <TextField
          label={t`Hand over to`}
          description={t`The e-mail address of a member. Leave empty for yourself.`}
          type="email"
          autoComplete="off"
          value={handOverTo}
          onChange={(event) => onChange({ files, handOverTo: event.currentTarget.value })}
        />
      ) : (
        <p>{t`Until then you can hand them over under Removed people.`}</p>
      )}
    </div>
  );
}

/** Returns the options without an empty address. */
export function filesToSend({ files, handOverTo = '' }: RemovalFileOptions): RemovalFileOptions {
  const to = handOverTo.trim();
  return { ...(files && { files }), ...(to !== '' && { handOverTo: to }) };
}
