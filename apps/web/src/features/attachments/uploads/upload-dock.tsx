/** Dock with the uploads of this tab, shown on every screen. */
import { t } from '@lingui/core/macro';
import { Plural } from '@lingui/react/macro';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { formatSize } from '../../../language/formats.ts';
import { QuietButton } from '../../../ui/button.tsx';
import { showDock } from '../../../ui/toast/dock.tsx';
import { setTitleProgress } from '../../../ui/shell/page-title.ts';
import { ScrollRegion } from '../../../ui/shell/scroll-region.tsx';
import { durationText } from '../attachment-texts.ts';
import {
  Announcement,
  formatPercent,
  percentOf,
  titleOf,
  UploadLine,
  useUnloadWarning,
} from './upload-progress.tsx';
import type { UploadProgress } from './upload-queue.ts';
import { uploads, useUploads } from './uploads.ts';

/** Maximum number of rendered uploads. */
const linesMaximum = 60;

export function startUploads(files: readonly File[]): void {
  uploads.add(files);
  showDock(<UploadDock />);
}

function UploadDock() {
  const progress = useUploads();
  const { active, uploads: all } = progress;
  const percent = percentOf(progress.sent, progress.total);

  useEffect(() => {
    if (all.length === 0) showDock(null);
  }, [all.length]);

  // An expanded dock leaves less room for the page. It stays expanded only after failures.
  const isAllDone = all.length > 0 && all.every(({ state }) => state === 'done');
  const [isFolded, setFolded] = useState(isAllDone);
  const [wasAllDone, setWasAllDone] = useState(isAllDone);
  if (isAllDone !== wasAllDone) {
    setWasAllDone(isAllDone);
    setFolded(isAllDone);
  }

  useEffect(() => {
    setTitleProgress(active > 0 ? formatPercent(percent) : '');
    return () => setTitleProgress('');
  }, [active, percent]);

  useUnloadWarning(active > 0);

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
          onClick={({ currentTarget }) => {
            flushSync(() => setFolded(!isFolded));
            // On phones, the open dock is above the page, which may be scrolled.
            currentTarget.scrollIntoView({ block: 'nearest' });
          }}
        />
        {active === 0 && paused === 0 && (
          <QuietButton
            aria-label={t`Close the uploads`}
            icon={<IconX size={18} />}
            onClick={() => uploads.cancel(ids)}
          />
        )}
      </div>
      <Announcement progress={progress} />
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
              <UploadLine key={upload.id} upload={upload} queue={uploads} />
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
