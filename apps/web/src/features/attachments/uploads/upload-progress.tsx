/** Progress of uploads: a line for each, and announcements. */
import { plural, t } from '@lingui/core/macro';
import { IconCheck, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { formatNumber, formatSize } from '../../../language/formats.ts';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { isActive, type Upload, type UploadProgress, type UploadQueue } from './upload-queue.ts';
import './uploads.css';

/** Line of one upload with its progress, error and buttons. */
export function UploadLine({ upload, queue }: { upload: Upload; queue: UploadQueue }) {
  const { id, name, size, sent, state, problem } = upload;
  const isPaused = state === 'paused';
  const isUnfinished = isPaused || isActive(upload);
  return (
    <li className={`dock-line dock-${state}`}>
      <div className="dock-name">
        <span className="one-line" title={name}>
          {name}
        </span>
        <small>{stateText(upload)}</small>
      </div>
      {isUnfinished && (
        <QuietButton
          aria-label={isPaused ? t`Resume ${name}` : t`Pause ${name}`}
          icon={isPaused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => (isPaused ? queue.resume([id]) : queue.pause([id]))}
        />
      )}
      {state === 'failed' && problem?.isFinal !== true && (
        <Button size="small" onClick={() => queue.resume([id])}>
          {t`Try again`}
          <span className="visually-hidden">{name}</span>
        </Button>
      )}
      {state === 'done' ? (
        <IconCheck className="dock-check" size={18} aria-hidden="true" />
      ) : (
        <QuietButton
          aria-label={t`Cancel ${name}`}
          icon={<IconX size={16} />}
          onClick={() => queue.cancel([id])}
        />
      )}
      {isUnfinished && <progress className="dock-bar" aria-label={name} value={sent} max={size || 1} />}
    </li>
  );
}

function stateText({ state, sent, size, problem }: Upload): string {
  const there = formatSize(sent);
  const whole = formatSize(size);
  switch (state) {
    case 'waiting':
      return t`${whole}, waiting`;
    case 'running':
      return sent >= size && size > 0 ? t`${whole}, being saved` : t`${there} of ${whole}`;
    case 'paused':
      return t`Paused at ${there} of ${whole}`;
    case 'lost':
      return [problem?.message, t`Resumes automatically from ${there}.`].filter(Boolean).join(' ');
    case 'failed':
      return [problem?.message, problem?.reference && t`Reference ${problem.reference}`]
        .filter(Boolean)
        .join(' ');
    case 'done':
      return t`${whole}, uploaded`;
  }
}

export function titleOf({ uploads: all, active, done }: UploadProgress): string {
  const failed = all.filter(({ state }) => state === 'failed').length;
  const paused = all.filter(({ state }) => state === 'paused').length;
  const parts: string[] = [];
  if (active > 0)
    parts.push(plural(all.length - failed, { one: 'Uploading # file', other: 'Uploading # files' }));
  else if (paused > 0) parts.push(plural(paused, { one: '# file paused', other: '# files paused' }));
  else if (done > 0) parts.push(plural(done, { one: '# file uploaded', other: '# files uploaded' }));
  if (failed > 0) parts.push(plural(failed, { one: '# file not uploaded', other: '# files not uploaded' }));
  return parts.join(', ');
}

/** Announces start, quarters, errors and end to screen readers. */
export function Announcement({ progress }: { progress: UploadProgress }) {
  const percent = percentOf(progress.sent, progress.total);
  const { active, uploads: all } = progress;
  const hasProblem = all.some(({ state }) => state === 'failed' || state === 'lost');
  const quarter = active > 0 && percent >= 25 ? ` ${formatPercent(percent - (percent % 25))}.` : '';
  return (
    <output className="visually-hidden">
      {titleOf(progress)}.{quarter}
      {hasProblem && all.map((a) => (a.problem ? ` ${a.name}: ${a.problem.message}` : '')).join('')}
    </output>
  );
}

/** Asks before the page is left while uploads are running. */
export function useUnloadWarning(isUploading: boolean): void {
  useEffect(() => {
    if (!isUploading) return undefined;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => window.removeEventListener('beforeunload', onBeforeUnload);
  }, [isUploading]);
}

export function percentOf(sent: number, total: number): number {
  // 100 % is reserved for completed uploads.
  return total === 0 ? 0 : Math.min(99, Math.floor((sent / total) * 100));
}

export const formatPercent = (percent: number): string => formatNumber(percent / 100, { style: 'percent' });
