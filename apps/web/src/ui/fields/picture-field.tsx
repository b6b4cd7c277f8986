import { t } from '@lingui/core/macro';
import { useId, useRef, useState, type ReactNode } from 'react';
import { formatSize } from '../../language/formats.ts';
import { Button } from '../button.tsx';
import './picture-field.css';

const kinds = ['image/png', 'image/jpeg', 'image/webp'];

/** Shows a picture, and chooses or removes it. Rejects files of other types and larger files. */
export function PictureField({
  label,
  note,
  inputLabel,
  pictureLabel,
  picture,
  maximumBytes,
  problem,
  onChange,
}: {
  label: string;
  note: ReactNode;
  /** Accessible name of the file input. */
  inputLabel: string;
  /** Alternative text of the picture. */
  pictureLabel: string;
  /** URL of the picture. */
  picture: string | null;
  maximumBytes: number;
  problem: string | null | undefined;
  onChange: (file: File | null) => Promise<unknown>;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [fileProblem, setFileProblem] = useState<string | null>(null);
  const noteId = useId();
  const maximum = formatSize(maximumBytes);
  const shownProblem = fileProblem ?? problem;

  const take = async (file: File | undefined) => {
    if (!file) return;
    setFileProblem(null);
    if (!kinds.includes(file.type))
      setFileProblem(t`${file.name} is not a PNG, JPEG or WebP image. Save it as one and try again.`);
    else if (file.size > maximumBytes)
      setFileProblem(
        t`${file.name} is ${formatSize(file.size)}; the limit is ${maximum}. Make it smaller and try again.`,
      );
    else await onChange(file);
    // Allows selecting the same file again.
    if (input.current) input.current.value = '';
  };

  return (
    <fieldset className="picture-field" aria-describedby={noteId}>
      <legend className="field-label">{label}</legend>
      <span className="field-note" id={noteId}>
        {note}
      </span>
      {picture && (
        <span className="picture-frame">
          <img src={picture} alt={pictureLabel} />
        </span>
      )}
      {shownProblem && (
        <p className="field-error" role="alert">
          {shownProblem}
        </p>
      )}
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={inputLabel}
        accept={kinds.join(',')}
        onChange={(event) => void take(event.currentTarget.files?.[0])}
      />
      <div className="button-row">
        <Button onClick={() => input.current?.click()}>
          {picture ? t`Choose another` : t`Choose a picture`}
        </Button>
        {picture && (
          <Button
            onClick={() => {
              setFileProblem(null);
              return onChange(null);
            }}
          >
            {t`Remove`}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
