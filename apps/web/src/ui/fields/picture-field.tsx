import { t } from '@lingui/core/macro';
import { useId, useRef, useState, type ReactNode } from 'react';
import { toFormErrors } from '../../language/field-errors.ts';
import { formatSize } from '../../language/formats.ts';
import { Button } from '../button.tsx';
import { FileInput } from './file-input.tsx';
import './fields.css';

const kinds = ['image/png', 'image/jpeg', 'image/webp'];

/** Shows a picture, and chooses or removes it. Rejects files of other types and larger files. Shows an error that `onChange` throws. */
export function PictureField({
  label,
  note,
  pictureLabel,
  picture,
  maximumBytes,
  problem,
  onChange,
}: {
  label: string;
  note: ReactNode;
  /** Alternative text of the picture. */
  pictureLabel: string;
  /** URL of the picture. */
  picture: string | null;
  maximumBytes: number;
  problem?: string | undefined;
  /** `picture` is base64; null removes the picture. */
  onChange: (picture: string | null, type?: string) => unknown;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [changeProblem, setChangeProblem] = useState<string | null>(null);
  const noteId = useId();
  const maximum = formatSize(maximumBytes);
  const shownProblem = changeProblem ?? problem;

  const change = async (file: File | null) => {
    setChangeProblem(null);
    try {
      await onChange(file && (await readBase64(file)), file?.type);
    } catch (error) {
      setChangeProblem(Object.values(toFormErrors(error))[0] ?? '');
    }
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (!kinds.includes(file.type))
      setChangeProblem(t`${file.name} is not a PNG, JPEG or WebP image. Save it as one and try again.`);
    else if (file.size > maximumBytes)
      setChangeProblem(
        t`${file.name} is ${formatSize(file.size)}; the limit is ${maximum}. Make it smaller and try again.`,
      );
    else await change(file);
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
      <FileInput ref={input} accept={kinds.join(',')} onFiles={([file]) => void take(file)} />
      <div className="button-row">
        <Button onClick={() => input.current?.click()}>
          {picture ? t`Choose another` : t`Choose a picture`}
        </Button>
        {picture && <Button onClick={() => change(null)}>{t`Remove`}</Button>}
      </div>
    </fieldset>
  );
}

/** Returns the contents of a file as base64. */
async function readBase64(file: File): Promise<string> {
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.addEventListener('load', () => resolve((reader.result as string).split(',')[1] ?? ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
}
