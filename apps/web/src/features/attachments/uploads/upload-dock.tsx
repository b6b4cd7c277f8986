/** Dock with the uploads of this tab, shown on every screen. */
import { plural, t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { IconCheck, IconChevronDown, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useEffect } from 'react';
import { formatNumber, formatSize } from '../../../language/formats.ts';
import { Button, QuietButton } from '../../../ui/button.tsx';
import { setDockFolded, showDock, useDockFolded } from '../../../ui/toast/dock.tsx';
import { setTitleProgress } from '../../../ui/shell/page-title.ts';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';
import { durationText } from '../attachment-texts.ts';
import { isActive, type Upload, type UploadProgress } from './upload-queue.ts';
import { uploads, useUploads } from './uploads.ts';
import './uploads.css';

/** Maximum number of rendered uploads. */
const linesMaximum = 60;

/** Starts uploads and shows the dock. */
export function startUploads(files: readonly File[]): void {
  setDockFolded();
  uploads.add(files);
  showDock(<UploadDock />);
}

function UploadDock() {
  const progress = useUploads();
  const isFolded = useDockFolded();
  const { active, uploads: all } = progress;
  const percent = percentOf(progress.sent, progress.total);

  useEffect(() => {
    if (all.length === 0) showDock(null);
  }, [all.length]);

  // An expanded dock covers rows. Keep it expanded after failures only.
  const isAllDone = all.length > 0 && all.every(({ state }) => state === 'done');
  useEffect(() => {
    if (isAllDone) setDockFolded(true);
  }, [isAllDone]);

  useEffect(() => {
    setTitleProgress(active > 0 ? formatPercent(percent) : '');
    return () => setTitleProgress('');
  }, [active, percent]);

  const warn = active > 0;
  useEffect(() => {
    if (!warn) return undefined;
    const onBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', onBeforeUnload);
    return () => window.removeEventListener('beforeunload', onBeforeUnload);
  }, [warn]);

  // Order: failed, running, waiting, done.
  const lines = all.toSorted((a, b) => rank[a.state] - rank[b.state]).slice(0, linesMaximum);
  const paused = all.filter(({ state }) => state === 'paused').length;
  const ids = all.map(({ id }) => id);
  return (
    <section className="dock raised" aria-label={t`Uploads`}>
      <div className="dock-head">
        <div>
          <h2>{titleOf(progress)}</h2>
          <p>{rateText(progress)}</p>
        </div>
        {/* The same button for both actions, to keep the focus. */}
        {(active > 1 || (active === 0 && paused > 1)) && (
          <QuietButton onClick={() => (active > 0 ? uploads.pause(ids) : uploads.resume(ids))}>
            {active > 0 ? t`Pause all` : t`Resume all`}
          </QuietButton>
        )}
        <QuietButton
          className={isFolded ? 'dock-fold dock-folded' : 'dock-fold'}
          aria-label={isFolded ? t`Show the uploads` : t`Hide the uploads`}
          aria-expanded={!isFolded}
          icon={<IconChevronDown size={18} />}
          onClick={() => setDockFolded(!isFolded)}
        />
        {active === 0 && paused === 0 && (
          <QuietButton
            aria-label={t`Close the uploads`}
            icon={<IconX size={18} />}
            onClick={() => uploads.cancel(ids)}
          />
        )}
      </div>
      <Announcement progress={progress} percent={percent} />
      {isFolded ? (
        <progress
          className="dock-bar"
          aria-label={t`All uploads`}
          value={progress.sent}
          max={progress.total || 1}
        />
      ) : (
        <ScrollRegion className="dock-lines" label={t`Each upload`}>
          <ul>
            {lines.map((upload) => (
              <UploadLine key={upload.id} upload={upload} />
            ))}
          </ul>
          {all.length > lines.length && (
            <p className="dock-more">
              <Plural value={all.length - lines.length} one="and # file more" other="and # files more" />
            </p>
          )}
        </ScrollRegion>
      )}
    </section>
  );
}

const rank = { failed: 0, lost: 1, running: 2, paused: 3, waiting: 4, done: 5 } as const;

function UploadLine({ upload }: { upload: Upload }) {
  const { id, name, size, sent, state } = upload;
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
          onClick={() => (isPaused ? uploads.resume([id]) : uploads.pause([id]))}
        />
      )}
      {state === 'failed' && (
        <Button size="small" onClick={() => uploads.resume([id])}>
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
          onClick={() => uploads.cancel([id])}
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

function titleOf({ uploads: all, active, done }: UploadProgress): string {
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

function rateText({
  uploads: all,
  active,
  sent,
  total,
  bytesPerSecond,
  secondsLeft,
}: UploadProgress): string {
  if (active === 0) return '';
  const lost = all.filter(({ state }) => state === 'lost');
  if (lost.length > 0)
    return lost.every(({ problem }) => problem?.retryAt)
      ? t`The server is not accepting uploads right now. What was sent is kept.`
      : t`Connection lost. What was sent is kept.`;
  const parts = [formatPercent(percentOf(sent, total))];
  if (bytesPerSecond) {
    const speed = formatSize(bytesPerSecond);
    parts.push(t`${speed} a second`);
  }
  if (secondsLeft !== null && sent < total) {
    const rest = durationText(secondsLeft);
    parts.push(t`${rest} left`);
  }
  return parts.join(' · ');
}

/** Announces start, quarters, errors and end to screen readers. */
function Announcement({ progress, percent }: { progress: UploadProgress; percent: number }) {
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

function percentOf(sent: number, total: number): number {
  // 100 % is reserved for completed uploads.
  return total === 0 ? 0 : Math.min(99, Math.floor((sent / total) * 100));
}

function formatPercent(percent: number): string {
  return formatNumber(percent / 100, { style: 'percent' });
}
